package cli

import (
	"math"
	"runtime"
	"runtime/debug"
)

const (
	// uncollected is how much memory a run may take before the first collection: a
	// usual cluster ends before that, and saves a fifth of its time.
	uncollected = 128 << 20
	// growth is by how many percent the memory in use may grow before each further one.
	growth = 100
)

// collectLate keeps the collector off until the process has taken a certain amount
// of memory. From then on it works as usual: a limit that is kept would have it
// run without a pause as soon as a large spec is above it.
func collectLate() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(uncollected)
	// Nothing refers to first, so the first collection finds it.
	first := new([64]byte)
	runtime.SetFinalizer(first, func(*[64]byte) {
		debug.SetGCPercent(growth)
		debug.SetMemoryLimit(math.MaxInt64)
	})
}
