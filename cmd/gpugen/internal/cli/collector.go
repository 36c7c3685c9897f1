package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

const (
	// uncollected is how much memory a run may take before the first collection: a
	// usual cluster ends before that, and saves a fifth of its time.
	uncollected = 128 << 20
	// growth is how many times as much as is in use may be taken before each further one, and
	// growthInVain where a collection found little: CUE keeps most of what it makes, and
	// to look at all of it again and again took a quarter of the time of a large spec.
	growth, growthInVain = 2, 5
	// inVainUpTo is how much memory growthInVain may lead to.
	inVainUpTo = 2 << 30
	// usual is how much memory a usual cluster takes.
	usual = 96 << 20
)

// collectLate keeps the collector off until the process has taken a certain amount
// of memory. From then on it works as usual, or later where that is in vain: a limit
// that is kept would have it run without a pause as soon as a large spec is above it.
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
	awaitCollection(starts.Add(1), limit, new([64]byte))
}

// forced says that the next collection is one that was asked for.
var forced atomic.Bool

// awaitCollection sets, after each collection, how much memory may be in use at the next
// one; it may be taken at the coming one.
func awaitCollection(start, taken int64, found *[64]byte) {
	runtime.SetFinalizer(found, func(found *[64]byte) {
		if starts.Load() != start {
			return
		}
		if forced.CompareAndSwap(true, false) {
			awaitCollection(start, taken, found)
			return
		}
		live := liveBytes()
		next := nextCollection(live, taken)
		debug.SetGCPercent(int((next - live) * 100 / live))
		debug.SetMemoryLimit(math.MaxInt64)
		awaitCollection(start, next, found)
	})
}

// nextCollection is how much memory may be taken before the next collection, after one that
// left so much of what was taken.
func nextCollection(live, taken int64) int64 {
	next := growth * live
	if live > taken/3*2 {
		next = max(next, min(growthInVain*live, inVainUpTo))
	}
	return max(next, uncollected)
}

// liveBytes is what the last collection left, at least a byte.
func liveBytes() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return uncollected / growth
	}
	return max(int64(sample[0].Value.Uint64()), 1)
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
