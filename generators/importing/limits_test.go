package importing

import (
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/schema"
)

func TestWhatIsReadTakesNoMoreThanASpec(t *testing.T) {
	before := limits
	t.Cleanup(func() { limits = before })
	limits.Heap, limits.Every = 1, time.Millisecond
	read := &Read{Objects: []any{}, Values: map[string]any{}, Releases: []schema.Release{{Name: "a", Namespace: "b", Chart: "gpu-operator-v26.3.3"}}}
	_, err := Make(t.Context(), read, "cluster")
	if err == nil || !strings.Contains(err.Error(), "of memory; import a part of it") {
		t.Errorf("the error is %v", err)
	}
}
