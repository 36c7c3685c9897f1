package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

const (
	// uncollected is how much memory a run may take before the first collection: a
	// usual cluster ends before that, and saves a fifth of its time.
	uncollected = 128 << 20
	// growth is by how many percent the memory in use may grow before each further one.
	growth = 100
	// usual is how much memory a usual cluster takes.
	usual = 96 << 20
)

// collectLate keeps the collector off until the process has taken a certain amount
// of memory. From then on it works as usual: a limit that is kept would have it
// run without a pause as soon as a large spec is above it.
func collectLate() { collectFrom(uncollected) }

// collectBetween collects once, and then late again: each spec of several is judged as
// if it were the only one.
func collectBetween() {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	collectFrom(int64(uncollected + m.Sys - m.HeapIdle)) // what is idle is used again first
}

// starts counts the calls of collectFrom: what an earlier one left behind is void.
var starts atomic.Int64

func collectFrom(limit int64) {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(limit)
	// Nothing refers to it, so the first collection finds it.
	awaitCollection(starts.Add(1), new([64]byte))
}

// forced says that the next collection is one that was asked for.
var forced atomic.Bool

func awaitCollection(start int64, first *[64]byte) {
	runtime.SetFinalizer(first, func(first *[64]byte) {
		if starts.Load() != start {
			return
		}
		if forced.CompareAndSwap(true, false) {
			awaitCollection(start, first)
			return
		}
		debug.SetGCPercent(growth)
		debug.SetMemoryLimit(math.MaxInt64)
	})
}

// inHugePages has the memory of a usual cluster come in pages of 2 MiB, where the system
// leaves that to programs. In pages of 4 KiB, asking for them one by one takes an eighth
// of the time of a spec. What does not evaluate one takes too little for it to pay.
var inHugePages = sync.OnceFunc(func() {
	if !hugePagesOnAdvice() {
		return
	}
	// The heap grows by this block, and keeps what was said of it: Go says nothing itself,
	// and would map what it grows by later anew.
	block := make([]byte, usual)
	adviseHugePages(block)
	runtime.KeepAlive(block)
	forced.Store(true)
	runtime.GC()
})
