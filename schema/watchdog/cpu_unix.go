//go:build unix

package watchdog

import (
	"syscall"
	"time"
)

// cpuTime is how long the process has computed so far, on all processors.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return wallTime()
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
