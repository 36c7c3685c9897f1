package schema

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestTheOrderOfFilesDoesNotMatter(t *testing.T) {
	e := engineForTest(t)
	parts := []string{
		"name: \"research\"\n",
		"kubernetes: {version: \"1.34.2\", distribution: \"kubeadm\"}\n",
		"gitops: {repoURL: \"https://git.example.com/platform/gpu.git\", path: \"clusters/research/tree\"}\n",
		"nodePools: train: {gpu: {model: \"h100-sxm-80gb\", count: 8}, driver: source: \"operator\"}\n",
		"nodePools: train: os: {name: \"ubuntu\", version: \"24.04\"}\n",
		"nodePools: train: nodes: 3\n",
		"nodePools: train: nodes: 4\n",
		"nodez: 1\n",
	}
	var data map[string]any
	var faults []string
	random := rand.New(rand.NewSource(1))
	for range 6 {
		files := map[string]string{}
		for at, part := range random.Perm(len(parts)) {
			files[fmt.Sprintf("%c.cue", 'a'+at)] = "package cluster\n" + parts[part]
		}
		writeFiles(t, files)
		spec, found := e.load(Input{})
		var ids []string
		for _, f := range found {
			ids = append(ids, f.ID+" "+f.Path)
			if f.ID == idConflict && f.Position.File > f.Also[0].Position.File {
				t.Errorf("the first file is not named first: %+v", f)
			}
		}
		slices.Sort(ids)
		if data == nil {
			data, faults = spec.Data, ids
		}
		if !reflect.DeepEqual(spec.Data, data) || !slices.Equal(ids, faults) {
			t.Errorf("got %v %v, want %v %v", spec.Data, ids, data, faults)
		}
	}
	if len(faults) != 2 {
		t.Errorf("found %v", faults)
	}
}

func TestLocatePlacesAndWrote(t *testing.T) {
	writeFiles(t, map[string]string{
		"c/a.cue": goodCUE + "_base: arch: \"amd64\"\nnodePools: train: _base\nif true {nodePools: train: nodes: 3}\n",
		"c/b.cue": "package cluster\nnodePools: train: gpu: count: 8\nnodePools: train: taints: [{key: \"a\", effect: \"NoSchedule\"}]\n",
	})
	spec, found := engineForTest(t).load(Input{Path: "c"})
	if len(found) > 0 {
		t.Fatalf("found %+v", found)
	}
	for _, c := range []struct {
		path  string
		want  string
		wrote bool
	}{
		{"nodePools.train.gpu.count", "c/a.cue:5:50", true},
		{"nodePools.train.arch", "c/a.cue:6:8", true},
		{"nodePools.train.nodes", "c/a.cue:8:28", true},
		{"nodePools.train.taints[0].key", "c/b.cue:3:29", true},
		{"nodePools.train.sharing.strategy", "c/a.cue:5:12", false},
		{"network.fabric", "c/a.cue:1:1", false},
		{"kubernetes.runtime", "c/a.cue:3:1", false},
	} {
		path := cuePathElements(c.path)
		at := spec.Locate(path)
		if got := fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column); got != c.want {
			t.Errorf("%s is at %s, want %s", c.path, got, c.want)
		}
		if spec.Wrote(path) != c.wrote {
			t.Errorf("Wrote(%s) is %v", c.path, !c.wrote)
		}
	}
	if places := spec.Places(cuePathElements("nodePools.train.gpu.count")); len(places) != 2 || places[1].File != "c/b.cue" {
		t.Errorf("places %+v", places)
	}
}

func TestTaintedIsAboveAndBelow(t *testing.T) {
	spec := &Spec{tainted: [][]any{{"nodePools", "a", "taints", 0}}}
	for path, want := range map[string]bool{
		"nodePools": true, "nodePools.a": true, "nodePools.a.taints": true, "nodePools.a.taints[0].key": true,
		"nodePools.b": false, "nodePools.a.taints[1]": false, "name": false,
	} {
		if got := spec.Tainted(cuePathElements(path)); got != want {
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
		if got := PathString(path); got != want {
			t.Errorf("PathString(%v) = %s, want %s", path, got, want)
		}
	}
}

func TestNamesOfFilesAreAsTheUserTypesThem(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a/b/cluster.yaml": "nodez: 1\n", "w/x": ""})
	for _, c := range []struct{ cwd, path, want string }{
		{".", "a/b", "a/b/cluster.yaml"},
		{".", "./a/b/cluster.yaml", "a/b/cluster.yaml"},
		{"a/b", "", "cluster.yaml"},
		{"w", "../a/b", "../a/b/cluster.yaml"},
		{"a", filepath.Join(dir, "a/b"), "b/cluster.yaml"},
	} {
		t.Chdir(filepath.Join(dir, c.cwd))
		_, found := engineForTest(t).load(Input{Path: c.path})
		if len(found) == 0 || found[0].Position.File != c.want {
			t.Errorf("%s in %s: %+v, want %s", c.path, c.cwd, brief(found), c.want)
		}
	}
}

func TestIDsAreInOrderAndComplete(t *testing.T) {
	for i, d := range SpecIDs() {
		if d.Title == "" || d.Why == "" || d.Fix == "" {
			t.Errorf("%s says too little", d.ID)
		}
		if i > 0 && d.ID <= SpecIDs()[i-1].ID {
			t.Errorf("%s is out of order", d.ID)
		}
	}
}

// FuzzLoad: nothing panics; every finding has an ID and, unless it is fatal, a
// place inside the input.
func FuzzLoad(f *testing.F) {
	for i, format := range []string{"cue", "yaml", "json"} {
		f.Add(byte(i), write(format, goodTree()).text.String())
		for _, c := range faults {
			f.Add(byte(i), write(format, goodTree().set(c.path, c.value)).text.String())
		}
	}
	scripts, err := filepath.Glob("testdata/load/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range scripts {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			switch filepath.Ext(file.Name) {
			case ".cue":
				f.Add(byte(0), string(file.Data))
			case ".yaml":
				f.Add(byte(1), string(file.Data))
			case ".json":
				f.Add(byte(2), string(file.Data))
			}
		}
	}
	dir := f.TempDir()
	e, err := newSpecEngine()
	if err != nil {
		f.Fatal(err)
	}
	n := 0
	f.Fuzz(func(t *testing.T, format byte, text string) {
		if strings.Contains(text, "Range") || strings.Contains(text, "Repeat") {
			// These may take for ever, and the watchdog would end this process.
			return
		}
		if n++; n%200 == 0 {
			// A context keeps everything that it has seen.
			if e, err = newSpecEngine(); err != nil {
				t.Fatal(err)
			}
		}
		name := filepath.Join(dir, "cluster."+[]string{"cue", "yaml", "json"}[format%3])
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		spec, found := e.load(Input{Path: name})
		checkFindings(t, found, map[string]string{newSources(name).display(name): text})
		if spec == nil && len(found) == 0 {
			t.Error("no spec and nothing found")
		}
		if spec == nil {
			return
		}
		if v := e.spec.Unify(e.ctx.Encode(spec.Data)); v.Validate() != nil {
			t.Errorf("the repaired spec is not valid: %v\n%v", v.Validate(), spec.Data)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	for _, format := range []string{"cue", "yaml", "json"} {
		b.Run(format, func(b *testing.B) {
			spec := goodTree()
			train := spec[3].value.(tree)[0].value
			pools := tree{}
			for i := range 8 {
				pools = append(pools, branch{fmt.Sprint("pool", i), train})
			}
			spec[3].value = pools
			out := write(format, spec)
			dir := writeFiles(b, map[string]string{"cluster." + format: out.text.String()})
			e := engineForTest(b)
			for b.Loop() {
				if _, found := e.load(Input{Path: filepath.Join(dir, "cluster."+format)}); len(found) > 0 {
					b.Fatal(found)
				}
			}
			b.ReportMetric(float64(strings.Count(out.text.String(), "\n")), "lines")
		})
	}
}
