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
	wall  time.Duration
	heap  uint64
	every time.Duration
}

const (
	defaultWall  = 10 * time.Second
	defaultHeap  = 1 << 30
	defaultEvery = 20 * time.Millisecond
)

// guard runs f and watches it, because CUE cannot be cancelled. It returns true
// and a finding if f did not end within the limits, or panicked.
//
// After a true return f may still be running: whatever it uses, above all the
// engine's context, must not be touched again, and the process should report
// and exit.
func guard(limit Limits, what string, f func()) (diag.Finding, bool) {
	if limit.wall == 0 {
		limit.wall = defaultWall
	}
	if limit.heap == 0 {
		limit.heap = defaultHeap
	}
	if limit.every == 0 {
		limit.every = defaultEvery
	}
	before := heapBytes()
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
	deadline := time.NewTimer(limit.wall)
	defer deadline.Stop()
	tick := time.NewTicker(limit.every)
	defer tick.Stop()
	for {
		select {
		case failure := <-done:
			if failure != "" {
				return evaluatorFailed(what, failure), true
			}
			return diag.Finding{}, false
		case <-deadline.C:
			return findingf(idEndless, diag.Position{}, "%s does not finish evaluating within %v", what, limit.wall), true
		case <-tick.C:
			if now := heapBytes(); now > before && now-before > limit.heap {
				return findingf(idEndless, diag.Position{}, "%s does not finish evaluating within %d MiB of memory", what, limit.heap>>20), true
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
