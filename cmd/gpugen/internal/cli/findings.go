package cli

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/cmd/gpugen/internal/report"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// findingFlags are common to all commands that find something.
type findingFlags struct {
	format string
	strict bool
	input  string
	asOf   string
	limits limitFlags
}

func (f *findingFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "text", "how findings are written: "+report.Formats())
	cmd.Flags().BoolVar(&f.strict, "strict", false, "count warnings as errors")
	cmd.Flags().StringVar(&f.input, "input", "yaml", "format of a spec on standard input: yaml (JSON is YAML) or cue")
	f.limits.bind(cmd.Flags())
	cmd.Flags().StringVar(&f.asOf, "as-of", "", "day, as in 2026-11-22, by which it is judged what is still supported (default that of gpugen's knowledge)")
}

func (f *findingFlags) check() error {
	if f.input != "yaml" && f.input != "cue" {
		return &usageError{"--input is " + f.input + ", want yaml or cue"}
	}
	if f.asOf != "" {
		if _, err := time.Parse(time.DateOnly, f.asOf); err != nil {
			return &usageError{"--as-of is " + f.asOf + ", want a day as in 2026-11-22"}
		}
	}
	if err := f.limits.check(); err != nil {
		return err
	}
	return report.Known(f.format)
}

// usageError is a wrong command line.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func (f *findingFlags) spec(ctx context.Context, s streams, args []string) schema.Input {
	in := schema.Input{Path: ".", Stdin: s.in, Format: f.input, AsOf: f.asOf, Limits: f.limits.limits()}
	if len(args) > 0 {
		in.Path = args[0]
	}
	if os.Getenv(workerVariable) == "" {
		f.judgedApart(ctx, s, &in, justVet)
	}
	return in
}

// write reports findings and returns how the command ends.
func (f *findingFlags) write(w io.Writer, findings diag.List) error {
	findings = findings.Sorted()
	if err := report.Write(w, f.format, generators.Version, findings); err != nil {
		return err
	}
	errors, warnings := findings.Count()
	switch {
	case findings.Fatal():
		return exit(exitCannot)
	case errors > 0, f.strict && warnings > 0:
		return exit(exitFindings)
	default:
		return nil
	}
}
