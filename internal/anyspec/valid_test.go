package anyspec

import (
	"reflect"
	"testing"
	"time"
)

func TestSmallerLeavesWhatItTakesToFail(t *testing.T) {
	spec := map[string]any{
		"name":  "a",
		"pools": map[string]any{"p": map[string]any{"gpu": "x", "taints": []any{"no", "yes", "no"}}, "q": map[string]any{}},
	}
	tries := 0
	fails := func(spec map[string]any) bool {
		tries++
		pools, _ := spec["pools"].(map[string]any)
		p, _ := pools["p"].(map[string]any)
		taints, _ := p["taints"].([]any)
		for _, taint := range taints {
			if taint == "yes" {
				return true
			}
		}
		return false
	}
	want := map[string]any{"pools": map[string]any{"p": map[string]any{"taints": []any{"yes"}}}}
	if got := Smaller(spec, time.Minute, fails); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	if tries > 20 {
		t.Errorf("%d tries", tries)
	}
	if got := Smaller(spec, 0, fails); !reflect.DeepEqual(got, spec) {
		t.Errorf("%v without time", got)
	}
}
