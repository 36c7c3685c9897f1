//go:build !windows

package cli

import "syscall"

// replaceProcess becomes another program; it returns only an error.
func replaceProcess(program string, args, environment []string) error {
	return syscall.Exec(program, args, environment)
}
