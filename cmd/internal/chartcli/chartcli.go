// Package chartcli owns the command line of gpugen-chart: everything of gpugen
// that links Helm. It must not read a spec, nor be linked by gpugen itself.
package chartcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/generators/helm"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// exitCannot is gpugen's exit code for what could not be run.
const exitCannot = 2

// Main runs one command line and returns the exit code, which is one of gpugen's.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	// Helm's loader tells of links in charts.
	log.SetOutput(io.Discard)
	root := Command(out)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(errOut, "gpugen chart: %s\n", diag.VisibleLines(err.Error()))
		return exitCannot
	}
	return 0
}

// Command is the command with those below it; products go to out.
func Command(out io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:     "gpugen-chart",
		Short:   "Work with Helm charts on disk",
		Example: "  gpugen chart index ./gpu-operator",
		// People call it by way of gpugen.
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "gpugen chart"},
		SilenceErrors: true,
		SilenceUsage:  true,
		// Without it, cobra answers an unknown subcommand by help and exit code 0.
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newAdd(out), newIndex(out))
	return root
}

func newIndex(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "index CHART",
		Short: "Make the index of a chart version",
		Long: `index reads a chart, a directory or an archive on disk, and prints its index: the paths
of its values and those that its templates read, with types; the kinds of its objects;
its hooks and CRDs. The output is a file of schema/facts/charts.`,
		Example: `  gpugen chart index ./gpu-operator > schema/facts/charts/gpu-operator-v26.3.3.json
  gpugen chart index gpu-operator-v26.3.3.tgz`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			index, err := untilInterrupted(cmd.Context(), func() (*chartindex.Index, error) { return helm.Index(args[0]) })
			if err != nil {
				return err
			}
			_, err = out.Write(index.JSON())
			return err
		},
	}
}

var errInterrupted = errors.New("interrupted; nothing was written")

// untilInterrupted runs what takes long and writes nothing, unless somebody ends the
// program first.
func untilInterrupted[T any](ctx context.Context, f func() (T, error)) (T, error) {
	var (
		out T
		err error
	)
	if !watchdog.Until(ctx, func() { out, err = f() }) {
		var none T
		return none, errInterrupted
	}
	return out, err
}
