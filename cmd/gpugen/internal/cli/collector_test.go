package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A limit that stays would have the collector run without a pause in large specs.
func TestTheCollectorWorksAsUsualAfterItsFirstRun(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(limit)
	defer debug.SetGCPercent(percent)

	collectLate()
	inHugePages()
	if got := debug.SetMemoryLimit(-1); got != uncollected {
		t.Errorf("the limit before is %d", got)
	}
	// The collection that inHugePages asked for has no say, which shows in a while.
	for end := time.Now().Add(10 * time.Second); forced.Load(); {
		if time.Now().After(end) {
			t.Fatal("a collection that was asked for was never noticed")
		}
		time.Sleep(time.Millisecond)
	}
	if got := debug.SetMemoryLimit(-1); got != uncollected {
		t.Errorf("the limit after a collection that was asked for is %d", got)
	}
	runtime.GC()
	for end := time.Now().Add(10 * time.Second); debug.SetMemoryLimit(-1) != math.MaxInt64; {
		if time.Now().After(end) {
			t.Fatalf("the limit after is %d", debug.SetMemoryLimit(-1))
		}
		time.Sleep(time.Millisecond)
	}
	live := liveBytes()
	want := (nextCollection(live, uncollected) - live) * 100 / live
	if got := int64(debug.SetGCPercent(percent)); got < want/2 || got > want*2 {
		t.Errorf("the growth after is %d, want %d", got, want)
	}
}

// Where most of the memory is in use, the collector waits for longer, up to a bound.
func TestACollectionInVainIsFollowedByALaterOne(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct{ live, taken, want int64 }{
		{30 * mib, 128 * mib, uncollected},
		{80 * mib, 128 * mib, 160 * mib},
		{100 * mib, 128 * mib, 500 * mib},
		{300 * mib, 500 * mib, 600 * mib},
		{450 * mib, 500 * mib, inVainUpTo},
		{1200 * mib, inVainUpTo, 2400 * mib},
		{1800 * mib, inVainUpTo, 3600 * mib},
	} {
		if got := nextCollection(c.live, c.taken); got != c.want {
			t.Errorf("after %d MiB of %d the next is at %d, want %d", c.live/mib, c.taken/mib, got/mib, c.want/mib)
		}
	}
}

// Between two specs all is collected, and nothing while the next one is small.
func TestTheCollectorRunsOnceBetweenTwoSpecs(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(limit)
	defer debug.SetGCPercent(percent)
	defer starts.Add(1)

	collectLate()
	collectBetween()
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if got := debug.SetMemoryLimit(-1); got < uncollected || got == math.MaxInt64 {
			t.Fatalf("the limit for the next spec is %d", got)
		}
	}
}
