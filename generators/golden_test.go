package generators_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	examplesDir = "../examples"
	goldenDir   = "../golden"

	// updateVariable, when not empty, lets tests rewrite what they compare with.
	updateVariable = "GPUGEN_UPDATE"
)

// The committed trees are what the examples render to, byte for byte, so that a
// review shows what a change does to manifests.
func TestExamplesRenderToTheirGoldenTrees(t *testing.T) {
	for _, example := range append(exampleNames(t), siteExample) {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			golden := filepath.Join(goldenDir, example)
			if os.Getenv(updateVariable) != "" {
				if err := os.RemoveAll(golden); err != nil {
					t.Fatal(err)
				}
				mustRender(t, golden, filepath.Join(examplesDir, example))
				return
			}
			rendered := filepath.Join(t.TempDir(), "tree")
			mustRender(t, rendered, filepath.Join(examplesDir, example))
			for _, difference := range compare(readTree(t, golden), readTree(t, rendered)) {
				t.Error(difference)
			}
			if t.Failed() {
				t.Logf("if that is meant: %s=1 go test ./generators", updateVariable)
			}
		})
	}
}

func TestEveryGoldenTreeHasAnExample(t *testing.T) {
	examples := append(exampleNames(t), siteExample)
	entries, err := os.ReadDir(goldenDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if slices.Contains(examples, entry.Name()) {
			continue
		}
		stale := filepath.Join(goldenDir, entry.Name())
		if os.Getenv(updateVariable) == "" {
			t.Errorf("%s: no such example", stale)
		} else if err := os.RemoveAll(stale); err != nil {
			t.Error(err)
		}
	}
}

// siteExample has site knowledge beside a spec in YAML; it is no start for a spec of
// one's own, so it is none of the others.
const siteExample = "site-knowledge"

// exampleNames lists the examples; there must be some.
func exampleNames(t *testing.T) []string {
	t.Helper()
	specs, err := filepath.Glob(filepath.Join(examplesDir, "*", "cluster.cue"))
	if err != nil || len(specs) == 0 {
		t.Fatalf("no examples in %s (%v)", examplesDir, err)
	}
	names := make([]string, len(specs))
	for i, spec := range specs {
		names[i] = filepath.Base(filepath.Dir(spec))
	}
	return names
}

func mustRender(t *testing.T, dir, spec string) {
	t.Helper()
	if err := renderInto(dir, spec); err != nil {
		t.Fatal(err)
	}
}

// readTree returns the files below a directory by their path in it; the
// inventory is one of them.
func readTree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(os.DirFS(dir), name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compare says how two trees differ: one line a file, with the first line of it
// that differs.
func compare(want, got map[string][]byte) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		data, ok := got[name]
		switch {
		case !ok:
			out = append(out, name+": missing")
		case !bytes.Equal(want[name], data):
			out = append(out, name+firstDifference(want[name], data))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			out = append(out, name+": not expected")
		}
	}
	return out
}

func firstDifference(want, got []byte) string {
	wanted, found := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range max(len(wanted), len(found)) {
		a, b := "(end)", "(end)"
		if i < len(wanted) {
			a = wanted[i]
		}
		if i < len(found) {
			b = found[i]
		}
		if a != b {
			return fmt.Sprintf(":%d: got %q, want %q", i+1, b, a)
		}
	}
	return ""
}
