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
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
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

// streams are a command's input and outputs. What goes to err is for people: Main has it
// escape what nobody sees, such as in names of files.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// Main runs one command line and returns the exit code.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	if err := startWithoutCUE(); err != nil {
		fmt.Fprintf(errOut, "gpugen: variables that begin with CUE_ are set, and gpugen cannot start without them: %v\n", err)
		return exitCannot
	}
	collectLate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	root := newRoot(streams{in: in, out: out, err: diag.Writer{To: errOut}})
	root.SetArgs(args)
	err := unknownCommand(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	var code exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	default:
		fmt.Fprintf(errOut, "gpugen: %s\n", diag.VisibleLines(err.Error()))
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
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newRender(s),
		newVet(s),
		newVerify(s),
		newRules(s),
		newComponents(s),
		newInit(s),
		newImport(s),
		newChart(s),
		newCMP(s),
		newVersion(s),
	)
	return root
}

// flagError adds to an unknown flag the ones that may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := schema.Nearest(unknown.GetSpecifiedName(), names); len(near) > 0 {
		return &usageError{fmt.Sprintf("%v; did you mean --%s?", err, strings.Join(near, " or --"))}
	}
	return &usageError{fmt.Sprintf("%v; `%s --help` lists the flags", err, cmd.CommandPath())}
}
