package schema

import (
	"fmt"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/gpugen/gpugen/schema/diag"
)

// Limits bound the evaluation of what a user wrote. Zero fields mean the
// defaults.
type Limits struct {
	// time that must have passed and that the process must have computed for, so
	// that neither a busy machine nor other work in the process counts.
	time time.Duration
	// wall is how long to wait at most, however little was computed.
	wall  time.Duration
	heap  uint64
	every time.Duration
}

const (
	defaultTime  = 10 * time.Second
	defaultWall  = 10 * time.Minute
	defaultHeap  = 1 << 30
	defaultEvery = 20 * time.Millisecond
)

func (l Limits) orDefaults() Limits {
	if l.time == 0 {
		l.time = defaultTime
	}
	if l.wall == 0 {
		l.wall = defaultWall
	}
	if l.heap == 0 {
		l.heap = defaultHeap
	}
	if l.every == 0 {
		l.every = defaultEvery
	}
	return l
}

// spent is what an evaluation has taken so far.
type spent struct {
	passed, computed time.Duration
	heap             uint64
}

// exceeded names the limit that an evaluation is above; "" if there is none.
func (l Limits) exceeded(s spent) string {
	switch {
	case s.heap > l.heap:
		return fmt.Sprintf("%d MiB of memory", l.heap>>20)
	case s.passed > l.time && s.computed > l.time:
		return fmt.Sprintf("%v of computing", l.time)
	case s.passed > l.wall:
		return l.wall.String()
	}
	return ""
}

// guard runs f and watches it, because CUE cannot be cancelled. It returns true
// and a finding if f did not end within the limits, or panicked.
//
// After a true return f may still be running: whatever it uses, above all the
// engine's context, must not be touched again, and the process should report
// and exit.
func guard(limit Limits, what string, f func()) (diag.Finding, bool) {
	limit = limit.orDefaults()
	start, heap, cpu := time.Now(), heapBytes(), cpuTime()
	done := make(chan string, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Sprint("panic: ", r)
			}
		}()
		f()
		done <- ""
	}()
	tick := time.NewTicker(limit.every)
	defer tick.Stop()
	for {
		select {
		case failure := <-done:
			if failure != "" {
				return evaluatorFailed(what, failure), true
			}
			return diag.Finding{}, false
		case <-tick.C:
			now := spent{passed: time.Since(start), computed: cpuTime() - cpu}
			if h := heapBytes(); h > heap {
				now.heap = h - heap
			}
			if over := limit.exceeded(now); over != "" {
				return findingf(idEndless, diag.Position{}, "%s does not finish evaluating within %s", what, over), true
			}
		}
	}
}

func evaluatorFailed(what, failure string) diag.Finding {
	first, _, _ := strings.Cut(failure, "\n")
	return findingf(idEvaluator, diag.Position{}, "evaluating %s failed inside CUE: %s", what, first)
}

func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

var processStart = time.Now()

// wallTime is the best that is known of a process where it cannot be asked what it
// has computed.
func wallTime() time.Duration { return time.Since(processStart) }
