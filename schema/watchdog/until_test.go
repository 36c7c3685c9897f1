package watchdog_test

import (
	"context"
	"testing"

	"github.com/gpugen/gpugen/schema/watchdog"
)

func TestNobodyWaitsForWhatIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ran := false
	if !watchdog.Until(ctx, func() { ran = true }) || !ran {
		t.Error("what ends by itself counts as interrupted")
	}
	never := make(chan struct{})
	defer close(never)
	if watchdog.Until(ctx, cancel) {
		t.Error("what ended as somebody interrupted it counts as ended")
	}
	if watchdog.Until(ctx, func() { <-never }) {
		t.Error("what was interrupted counts as ended")
	}
}
