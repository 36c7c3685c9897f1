package watchdog

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestOnlyWhatWasComputedCounts(t *testing.T) {
	limit := Limits{}.orDefaults()
	for name, c := range map[string]struct {
		spent spent
		over  string
	}{
		"a busy machine":           {spent{passed: time.Minute, computed: 9 * time.Second}, ""},
		"other work beside it":     {spent{passed: 9 * time.Second, computed: time.Minute}, ""},
		"an endless evaluation":    {spent{passed: 11 * time.Second, computed: 11 * time.Second}, "10s of computing"},
		"an evaluation that waits": {spent{passed: 11 * time.Minute}, "10m0s"},
		"memory":                   {spent{heap: 1<<30 + 1}, "1 GiB of memory"},
	} {
		if got := limit.exceeded(c.spent); got != c.over {
			t.Errorf("%s: %q, want %q", name, got, c.over)
		}
	}
}

func TestRun(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	var done atomic.Bool
	defer done.Store(true)
	f, tripped := Run(Limits{Time: 30 * time.Millisecond, Every: time.Millisecond}, "the spec", func() {
		for !done.Load() {
		}
	})
	if !tripped || f.ID != endless.ID || !strings.Contains(f.Message, "30ms of computing") {
		t.Errorf("time: %v %+v", tripped, f)
	}
	f, tripped = Run(Limits{Wall: 30 * time.Millisecond, Every: time.Millisecond}, "the spec", func() { <-block })
	if !tripped || f.ID != endless.ID || !strings.Contains(f.Message, "30ms") {
		t.Errorf("waiting: %v %+v", tripped, f)
	}
	f, tripped = Run(Limits{Heap: 32 << 20, Every: time.Millisecond}, "the spec", func() {
		held := make([]byte, 128<<20)
		for i := range held {
			held[i] = 1
		}
		<-block
	})
	if !tripped || f.ID != endless.ID || !strings.Contains(f.Message, "32 MiB") {
		t.Errorf("memory: %v %+v", tripped, f)
	}
	f, tripped = Run(Limits{}, "the spec", func() { panic("index out of range\nand more") })
	if !tripped || f.ID != failed.ID || strings.Contains(f.Message, "and more") {
		t.Errorf("panic: %v %+v", tripped, f)
	}
	ran := false
	if f, tripped = Run(Limits{}, "the spec", func() { ran = true }); tripped || !ran {
		t.Errorf("good: %v %+v", tripped, f)
	}
}
