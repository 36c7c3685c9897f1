package source_test

import (
	"testing"

	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

func TestTaintedIsAboveAndBelow(t *testing.T) {
	spec := &source.Spec{}
	spec.Taint([]any{"nodePools", "a", "taints", 0})
	for path, want := range map[string]bool{
		"nodePools": true, "nodePools.a": true, "nodePools.a.taints": true, "nodePools.a.taints[0].key": true,
		"nodePools.b": false, "nodePools.a.taints[1]": false, "name": false,
	} {
		if got := spec.Tainted(spectest.Elements(path)); got != want {
			t.Errorf("Tainted(%s) = %v", path, got)
		}
	}
	if !spec.Tainted([]any{"nodePools", "a", "taints", int64(0)}) {
		t.Error("list positions of another type are not seen")
	}
}

func TestPathString(t *testing.T) {
	for want, path := range map[string][]any{
		`tenants."team-a".quota`:  {"tenants", "team-a", "quota"},
		`waivers[0].at`:           {"waivers", 0, "at"},
		`a."1b"."#c"."_d"."e\"f"`: {"a", "1b", "#c", "_d", `e"f`},
		`[1][2]`:                  {1, int64(2)},
		``:                        nil,
	} {
		if got := source.PathString(path); got != want {
			t.Errorf("PathString(%v) = %s, want %s", path, got, want)
		}
	}
}
