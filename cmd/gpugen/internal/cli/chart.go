package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/schema/diag"
)

// chartCommand is a program of its own: it links Helm, which would nearly double
// gpugen, in size and in the time that each run takes to start.
const chartCommand = "gpugen-chart"

func newChart(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "chart [COMMAND]",
		Short: "Work with Helm charts on disk (runs " + chartCommand + ")",
		Long: `chart runs the program gpugen-chart with the same arguments, streams and exit code. It
must lie beside gpugen or on PATH; ` + "`make build`" + ` makes both. It is a program of its own
because it links Helm.`,
		Example: "  gpugen chart index ./gpu-operator",
		// All flags are the other program's.
		DisableFlagParsing:    true,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			program, err := findProgram(besideThis(), chartCommand)
			switch {
			case err == nil:
				return runProgram(cmd.Context(), s, program, args)
			case len(args) == 1 && slices.Contains([]string{"-h", "--help"}, args[0]):
				return cmd.Help()
			default:
				return err
			}
		},
	}
}

// besideThis is the directory of the program that runs; empty if unknown.
func besideThis() string {
	this, err := os.Executable()
	if err != nil {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(this); err == nil {
		this = resolved
	}
	return filepath.Dir(this)
}

// findProgram looks for a program of gpugen's in a directory, which has the same
// build of it, then on PATH.
//
// The error says how to get it.
func findProgram(dir, name string) (string, error) {
	if dir != "" {
		if program, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return program, nil
		}
	}
	// A program that PATH finds in the current directory is an error here.
	if program, err := exec.LookPath(name); err == nil {
		return program, nil
	}
	return "", &usageError{fmt.Sprintf("%s is neither beside gpugen nor on PATH; in gpugen's repository `make build` makes both, "+
		"`go install ./cmd/%s` puts it where Go's programs are, and `go run ./cmd/%s` runs it", name, name, name)}
}

// runProgram runs a program in place of gpugen and ends with its exit code.
func runProgram(ctx context.Context, s streams, program string, args []string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.in, s.out, s.err
	if own, ok := s.err.(diag.Writer); ok {
		cmd.Stderr = own.To // the program escapes by itself, and gets the very stream
	}
	// What stops gpugen stops the program too, which may clean up first.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.Success() {
		return nil // it was through before it was stopped
	}
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.Exited() {
		return exit(ended.ExitCode())
	}
	return err
}
