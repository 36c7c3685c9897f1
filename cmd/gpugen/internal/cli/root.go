// Package cli owns the command line: flags, exit codes, and what goes to which
// stream. It must not decide anything about a spec or a tree.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitOK       = 0
	exitFindings = 1 // an error finding, or drift under --check
	exitCannot   = 2 // could not run
)

// exit ends a command with a code after everything has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// streams are a command's input and outputs.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// Main runs one command line and returns the exit code.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	// One run allocates once and ends: collecting less often costs memory that
	// the limit bounds, and saves a third of the time.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	root := newRoot(streams{in: in, out: out, err: errOut})
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	default:
		fmt.Fprintf(errOut, "gpugen: %v\n", err)
		return exitCannot
	}
}

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "gpugen",
		Short: "Render GPU platforms for Argo CD from a checked spec",
		Long: `gpugen reads a CUE, YAML or JSON spec of a Kubernetes cluster with GPUs, checks it
against a schema and rules, and renders a kustomize and Argo CD tree to be committed
to git. It never touches a cluster.

Exit codes: 0 no error, 1 an error finding or drift, 2 could not run.`,
		Example: `  gpugen init clusters/mine --example onprem-h100
  gpugen vet clusters/mine
  gpugen render clusters/mine -o clusters/mine/tree`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		newRender(s),
		newVet(s),
		newRules(s),
		newComponents(s),
		newInit(s),
		newChart(s),
		newVersion(s),
	)
	return root
}
