package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/bytesize"
)

// limitFlags bound what a spec may take: whoever renders the specs of others, in
// CI or beside Argo CD, sets them to what the machine has.
type limitFlags struct {
	time         time.Duration
	memory, size byteSize
}

func (l *limitFlags) bind(flags *pflag.FlagSet) {
	l.memory, l.size = schema.DefaultMemory, schema.DefaultSize
	flags.DurationVar(&l.time, "max-time", schema.DefaultTime, "how long the evaluation of a spec may compute")
	flags.Var(&l.memory, "max-memory", "how much memory the evaluation of a spec may take")
	flags.Var(&l.size, "max-size", "how large a spec may be, with all that it imports")
}

func (l *limitFlags) check() error {
	if l.time <= 0 {
		return &usageError{fmt.Sprintf("--max-time is %v, want more than nothing", l.time)}
	}
	return nil
}

func (l *limitFlags) limits() schema.Limits {
	return schema.Limits{Time: l.time, Memory: uint64(l.memory), Size: int(l.size)}
}

// byteSize is an amount of memory on the command line, such as 512MiB.
type byteSize uint64

func (b *byteSize) Type() string { return "bytes" }

// String is of the form that Set reads.
func (b *byteSize) String() string {
	return strings.TrimSuffix(strings.ReplaceAll(bytesize.Text(uint64(*b)), " ", ""), "bytes")
}

func (b *byteSize) Set(text string) error {
	n, err := bytesize.Parse(text)
	if err == nil {
		*b = byteSize(n)
	}
	return err
}
