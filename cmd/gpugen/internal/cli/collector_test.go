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
	if got := debug.SetGCPercent(percent); got != growth {
		t.Errorf("the growth after is %d", got)
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
