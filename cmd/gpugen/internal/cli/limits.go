package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/gpugen/gpugen/schema"
)

// limitFlags bound what a spec may take: whoever renders the specs of others, in
// CI or beside Argo CD, sets them to what the machine has.
type limitFlags struct {
	time         time.Duration
	memory, size byteSize
}

func (l *limitFlags) bind(flags *pflag.FlagSet) {
	l.memory, l.size = 3<<30, schema.DefaultSize
	flags.DurationVar(&l.time, "max-time", time.Minute, "how long the evaluation of a spec may compute")
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
type byteSize int64

var byteUnits = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

func (b *byteSize) Type() string { return "bytes" }

func (b *byteSize) String() string {
	for _, unit := range byteUnits {
		if n := int64(*b); n >= unit.size && n%unit.size == 0 {
			return strconv.FormatInt(n/unit.size, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

func (b *byteSize) Set(text string) error {
	number, size := text, int64(1)
	for _, unit := range byteUnits {
		if before, found := strings.CutSuffix(text, unit.name); found {
			number, size = before, unit.size
		}
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n <= 0 {
		return fmt.Errorf("want a number with KiB, MiB or GiB, such as 512MiB")
	}
	*b = byteSize(n * size)
	return nil
}
