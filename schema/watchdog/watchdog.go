// Package watchdog owns the limits of time and memory within which CUE evaluates
// what a user wrote. It must not know what is evaluated.
package watchdog

import (
	"fmt"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gpugen/gpugen/schema/bytesize"
	"github.com/gpugen/gpugen/schema/diag"
)

// Limits bound the evaluation of what a user wrote. Zero fields mean the
// defaults.
type Limits struct {
	// Time that must have passed and that the process must have computed for, so
	// that neither a busy machine nor other work in the process counts.
	Time time.Duration
	// Wall is how long to wait at most, however little was computed.
	Wall time.Duration
	// Heap is how much more memory may be in use than before.
	Heap uint64
	// Every is how often time and memory are looked at.
	Every time.Duration
}

// The defaults.
const (
	DefaultTime  = 10 * time.Second
	defaultWall  = 10 * time.Minute
	DefaultHeap  = 1 << 30
	defaultEvery = 20 * time.Millisecond
)

func (l Limits) orDefaults() Limits {
	if l.Time == 0 {
		l.Time = DefaultTime
	}
	if l.Wall == 0 {
		l.Wall = defaultWall
	}
	if l.Heap == 0 {
		l.Heap = DefaultHeap
	}
	if l.Every == 0 {
		l.Every = defaultEvery
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
	case s.heap > l.Heap:
		return bytesize.Text(l.Heap) + " of memory"
	case s.passed > l.Time && s.computed > l.Time:
		return fmt.Sprintf("%v of computing", l.Time)
	case s.passed > l.Wall:
		return l.Wall.String()
	}
	return ""
}

// Run runs f and watches it, because CUE cannot be cancelled. It returns true
// and a finding if f did not end within the limits, or panicked.
//
// After a true return f may still be running: whatever it uses, above all the
// engine's context, must not be touched again, and the process should report
// and exit.
func Run(limit Limits, what string, f func()) (diag.Finding, bool) {
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
	tick := time.NewTicker(limit.Every)
	defer tick.Stop()
	for {
		select {
		case failure := <-done:
			if failure != "" {
				return Failed(what, failure), true
			}
			return diag.Finding{}, false
		case <-tick.C:
			now := spent{passed: time.Since(start), computed: cpuTime() - cpu}
			if h := heapBytes(); h > heap {
				now.heap = h - heap
			}
			if over := limit.exceeded(now); over != "" {
				abandoned.Store(true)
				return endless.At(diag.Position{}, "", "%s does not finish evaluating within %s", what, over), true
			}
		}
	}
}

var abandoned atomic.Bool

// Abandoned tells whether an evaluation was given up in this process. It may go on
// computing and taking memory until the process ends.
func Abandoned() bool { return abandoned.Load() }

// Failed is the finding about an evaluator that panicked.
func Failed(what, failure string) diag.Finding {
	first, _, _ := strings.Cut(failure, "\n")
	return failed.At(diag.Position{}, "", "evaluating %s failed inside CUE: %s", what, first)
}

// Ended is the finding about a process that ended before it had judged the spec in a
// file. how says in which way, such as "signal: killed".
func Ended(file, how string) diag.Finding {
	if strings.Contains(how, "goroutine stack exceeds") {
		f := ended.At(diag.Position{File: file}, "", "what the spec computes is nested without end: the stack of the process that judged it overflowed")
		f.Why = "a function of CUE's calls itself for each level of a text that it parses"
		f.Fix = "look for a text that contains itself, such as YAML whose merge key (<<) leads to its own anchor, or that is nested thousands of levels deep"
		return f
	}
	return ended.At(diag.Position{File: file}, "", "the process that judged the spec ended: %s", how)
}

// IsEnded tells whether a finding is about such a process.
func IsEnded(f diag.Finding) bool { return f.ID == ended.ID }

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
