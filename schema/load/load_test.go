package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

func TestTheOrderOfFilesDoesNotMatter(t *testing.T) {
	e := loaderForTest(t)
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
		spectest.WriteFiles(t, files)
		spec, found := e.load(source.Input{})
		var ids []string
		for _, f := range found {
			ids = append(ids, f.ID+" "+f.Path)
			if f.ID == "SPEC-028" && f.Position.File > f.Also[0].Position.File {
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
	spectest.WriteFiles(t, map[string]string{
		"c/a.cue": goodCUE + "_base: arch: \"amd64\"\nnodePools: train: _base\nif true {nodePools: train: nodes: 3}\n",
		"c/b.cue": "package cluster\nnodePools: train: gpu: count: 8\nnodePools: train: taints: [{key: \"a\", effect: \"NoSchedule\"}]\n",
	})
	spec, found := loaderForTest(t).load(source.Input{Path: "c"})
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
		path := spectest.Elements(c.path)
		at := spec.Locate(path)
		if got := fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column); got != c.want {
			t.Errorf("%s is at %s, want %s", c.path, got, c.want)
		}
		if spec.Wrote(path) != c.wrote {
			t.Errorf("Wrote(%s) is %v", c.path, !c.wrote)
		}
	}
	if places := spec.Places(spectest.Elements("nodePools.train.gpu.count")); len(places) != 2 || places[1].File != "c/b.cue" {
		t.Errorf("places %+v", places)
	}
}

func TestNamesOfFilesAreAsTheUserTypesThem(t *testing.T) {
	dir := spectest.WriteFiles(t, map[string]string{"a/b/cluster.yaml": "nodez: 1\n", "w/x": ""})
	for _, c := range []struct{ cwd, path, want string }{
		{".", "a/b", "a/b/cluster.yaml"},
		{".", "./a/b/cluster.yaml", "a/b/cluster.yaml"},
		{"a/b", "", "cluster.yaml"},
		{"w", "../a/b", "../a/b/cluster.yaml"},
		{"a", filepath.Join(dir, "a/b"), "b/cluster.yaml"},
	} {
		t.Chdir(filepath.Join(dir, c.cwd))
		_, found := loaderForTest(t).load(source.Input{Path: c.path})
		if len(found) == 0 || found[0].Position.File != c.want {
			t.Errorf("%s in %s: %+v, want %s", c.path, c.cwd, spectest.Brief(found), c.want)
		}
	}
}

// CUE's reader of YAML would call them 0o755, and so on.
func TestKeysOfYAMLAreTextsAsWritten(t *testing.T) {
	text := "nodePools: {}\ncomponents: {gpu-operator: {values: {0755: a, 0x1F: b, \"0o7\": c, 1.50: d, True: e}}}\n"
	spec, _ := loaderForTest(t).load(source.Input{Path: "-", Stdin: strings.NewReader(text)})
	at := spectest.Elements(`components."gpu-operator".values`)
	values := spec.Data["components"].(map[string]any)["gpu-operator"].(map[string]any)["values"]
	want := map[string]any{"0755": "a", "0x1F": "b", "0o7": "c", "1.50": "d", "true": "e"}
	if !reflect.DeepEqual(values, want) {
		t.Errorf("got %v, want %v", values, want)
	}
	for name := range want {
		if places := spec.Places(source.Join(at, name)); len(places) != 1 || places[0].Line != 2 {
			t.Errorf("%s stands at %v", name, places)
		}
	}
}

// FuzzLoad: nothing panics; every finding has an ID and, unless it is fatal, a
// place inside the input; what a spec is repaired to has no fault of shape. What is
// read, and where it stands, is FuzzSource's.
func FuzzLoad(f *testing.F) {
	for i, format := range []string{"cue", "yaml", "json"} {
		f.Add(byte(i), spectest.Write(format, spectest.Good()).Text.String())
		for _, c := range faults {
			// A mutation seldom meets what matters in a long text.
			for _, branch := range spectest.Good().Set(c.path, c.value) {
				if branch.Key == c.path[0] {
					f.Add(byte(i), spectest.Write(format, spectest.Tree{branch}).Text.String())
				}
			}
		}
	}
	scripts, err := filepath.Glob("testdata/script/*.txtar")
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
	// A context keeps everything that it has seen.
	const lifetime, judged = 500, 50
	var e *testLoader
	n := 0
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, format byte, text string) {
		if strings.Contains(text, "Range") || strings.Contains(text, "Repeat") || strings.Contains(text, "encoding/") {
			// These may take for ever, or end this process.
			return
		}
		if n++; n%lifetime == 1 || e == nil {
			if e, err = newLoaderForTest(); err != nil {
				t.Fatal(err)
			}
			// Go ends a process that takes ten seconds for one text, by the clock, and
			// says no more than that. Where the machine stands still for that long, it
			// ends one that has done nothing wrong, too: the text then passes by itself.
			e.engine.Limits.Time = 5 * time.Second
		}
		path := filepath.Join(dir, "cluster."+[]string{"cue", "yaml", "json"}[format%3])
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		in, name := source.Input{Path: path}, source.NewFiles(path).Name(path)
		spec, found := e.load(in)
		spectest.CheckFindings(t, found, map[string]string{name: text})
		for _, f := range found {
			if f.ID == "SPEC-014" || f.ID == "SPEC-018" {
				// What goes on there may not be disturbed.
				e = nil
				t.Fatalf("%s", f.Message)
			}
		}
		if spec == nil && len(found) == 0 {
			t.Error("no spec and nothing found")
		}
		if spec == nil {
			return
		}
		repaired, err := json.Marshal(spec.Data)
		if err != nil {
			t.Fatal(err)
		}
		_, again := e.load(source.Input{Path: "-", Stdin: bytes.NewReader(repaired)})
		if len(again) > 0 {
			t.Errorf("the repaired spec is not valid: %v\n%s", again, repaired)
		}
		// CUE's own judgement takes twenty times as long as the load.
		if crc32.ChecksumIEEE([]byte(text))%judged == 0 {
			if v := e.engine.Spec.Unify(e.engine.Ctx.Encode(spec.Data)); v.Validate() != nil {
				t.Errorf("CUE says that the repaired spec is not valid: %v\n%s", v.Validate(), repaired)
			}
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	for _, format := range []string{"cue", "yaml", "json"} {
		b.Run(format, func(b *testing.B) {
			spec := spectest.Good()
			train := spec[3].Value.(spectest.Tree)[0].Value
			pools := spectest.Tree{}
			for i := range 8 {
				pools = append(pools, spectest.Branch{fmt.Sprint("pool", i), train})
			}
			spec[3].Value = pools
			out := spectest.Write(format, spec)
			dir := spectest.WriteFiles(b, map[string]string{"cluster." + format: out.Text.String()})
			e := loaderForTest(b)
			for b.Loop() {
				if _, found := e.load(source.Input{Path: filepath.Join(dir, "cluster."+format)}); len(found) > 0 {
					b.Fatal(found)
				}
			}
			b.ReportMetric(float64(strings.Count(out.Text.String(), "\n")), "lines")
		})
	}
}
