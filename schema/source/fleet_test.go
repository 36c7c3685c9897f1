package source

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAFleetIsEveryLeafWithASpec(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const cluster, other = "package cluster\nname: ", "package pools\n"
	for name, data := range map[string]string{
		"clusters/base.cue":                         cluster,
		"clusters/eu/eu.cue":                        cluster,
		"clusters/eu/a/cluster.cue":                 cluster,
		"clusters/eu/a/tree/.gpugen/inventory.json": "",
		"clusters/eu/a/tree/cluster.yaml":           "name: no",
		"clusters/eu/b/notes.txt":                   "",
		"clusters/eu/c/broken.cue":                  cluster + "{{{",
		"clusters/us/d/cluster.yaml":                "name: d",
		"clusters/us/d/e/cluster.json":              "{}",
		"clusters/us/f/pools.cue":                   other,
		"clusters/us/_old/cluster.cue":              cluster,
		"clusters/us/.old/cluster.cue":              cluster,
		"clusters/cue.mod/cluster.cue":              cluster,
		"elsewhere/x.cue":                           cluster,
		"pools/pools.cue":                           other,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../elsewhere", "clusters/link"); err != nil {
		t.Log(err)
	}
	below := []string{"clusters/eu/a", "clusters/eu/c", "clusters/us/d", "clusters/us/d/e"}
	for arg, want := range map[string][]string{
		"./clusters/...": below, "clusters/...": below, "...": append(slices.Clone(below), "elsewhere"),
		"clusters/eu/a/...": {"clusters/eu/a"}, "pools/...": nil, "nowhere/...": nil,
	} {
		got, found := Fleet(arg)
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		if !slices.Equal(got, want) || (want == nil) != (len(found) == 1 && found[0].ID == "SPEC-001") {
			t.Errorf("%s is %q, findings %+v; want %q", arg, got, found, want)
		}
	}
	if IsFleet("clusters") || IsFleet("a...") || IsFleet("-") {
		t.Error("what is one spec is taken for many")
	}
}
