package cli

import (
	"errors"
	"os"
	"os/exec"
)

// replaceProcess runs another program and ends with its exit code: Windows does
// not replace a process. It returns only an error.
func replaceProcess(program string, args, environment []string) error {
	cmd := exec.Command(program, args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environment, os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		return err
	}
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}
