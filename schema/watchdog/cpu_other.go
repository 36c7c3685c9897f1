//go:build !unix

package watchdog

import "time"

// cpuTime stands in for the time that the process has computed: the time since its start.
func cpuTime() time.Duration { return wallTime() }
