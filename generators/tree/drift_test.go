package tree

import (
	"strings"
	"testing"
)

// What a stale tree differs by is said, each thing by itself.
func TestAStaleTreeSaysWhatChanged(t *testing.T) {
	for _, c := range []struct {
		now  Inventory
		want string
	}{
		{Inventory{}, "git merged it"},
		{Inventory{Version: "v2"}, "gpugen's version (, now v2)"},
		{Inventory{Cluster: "b"}, "the cluster (, now b)"},
		{Inventory{Charts: map[string]string{"a": "1"}}, "the vendored charts"},
		{Inventory{Site: "sha256:a"}, "what the site knows"},
		{Inventory{Guarded: []Guarded{{}}}, "what is guarded"},
		{Inventory{Project: &Project{Also: Needs{Namespaces: []string{"a"}}}}, "what the AppProject allows"},
		{Inventory{Files: map[string][]string{"a": {"1"}}}, "the files"},
	} {
		said := strings.TrimSuffix(Inventory{}.drift(c.now), " changed")
		if said != c.want {
			t.Errorf("%+v: %s, want %s", c.now, said, c.want)
		}
	}
}
