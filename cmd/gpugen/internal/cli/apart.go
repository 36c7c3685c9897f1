package cli

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// judgedApart has an input judged in a process of its own first, if what it computes could
// end a process. Only with a verdict in which nothing is wrong is it evaluated here. wanted
// is what is asked of that process.
func (f *findingFlags) judgedApart(ctx context.Context, s streams, in *schema.Input, wanted string) {
	var (
		once    sync.Once
		stdin   bytes.Buffer
		path    = in.Path
		verdict [1]verdict
	)
	if s.in != nil {
		// The other process reads what this one has read.
		in.Stdin = io.TeeReader(s.in, &stdin)
	}
	in.Apart = func(at diag.Position) (diag.List, bool) {
		once.Do(func() {
			other := s
			other.in = &stdin
			_, err := vetInWorker(ctx, other, f.ofInput(), wanted, []string{path}, verdict[:])
			if err != nil {
				verdict[0].Findings = diag.List{schema.Defect("%v", err)}
			}
		})
		found := verdict[0].Findings
		for i := range found {
			if watchdog.IsEnded(found[i]) {
				found[i].Position = at
			}
		}
		return found, verdict[0].Rendered == nil
	}
}

// ofInput are the flags that say how an input is read and judged.
func (f *findingFlags) ofInput() []string {
	return []string{
		"--input=" + f.input, "--as-of=" + f.asOf,
		"--max-time=" + f.limits.time.String(), "--max-memory=" + f.limits.memory.String(), "--max-size=" + f.limits.size.String(),
	}
}

// site is the site's knowledge at a directory as an input, where there is no spec.
func (f *findingFlags) site(ctx context.Context, s streams, dir, wanted string) schema.Input {
	in := schema.Input{Path: dir, AsOf: f.asOf, Limits: f.limits.limits()}
	s.in = nil
	f.judgedApart(ctx, s, &in, wanted)
	return in
}

// newFindingFlags are the flags as they are by default, for commands that have none of them.
func newFindingFlags() *findingFlags {
	f := &findingFlags{}
	f.bind(&cobra.Command{})
	return f
}
