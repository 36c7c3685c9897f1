package rendered_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/gpugen/gpugen/generators/rendered"
	"github.com/gpugen/gpugen/schema/diag"
)

func known(t *testing.T) *rendered.Knowledge {
	t.Helper()
	k, err := rendered.Known(nil)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestEachKindIsFoundAndTheSameTreeWithoutItIsNot goes through testdata: what stands
// below bad/CASE is laid over base.txtar, and gives just the findings that the archive
// begins with; good/CASE gives none.
func TestEachKindIsFoundAndTheSameTreeWithoutItIsNot(t *testing.T) {
	k, base := known(t), archive(t, "testdata/base.txtar")
	archives, err := filepath.Glob("testdata/TREE-*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, name := range archives {
		id := strings.TrimSuffix(filepath.Base(name), ".txtar")
		have[id] = true
		t.Run(id, func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			cases := casesOf(a, base)
			for _, c := range slices.Sorted(maps.Keys(cases)) {
				findings, err := rendered.Check(cases[c], k, rendered.Options{})
				if err != nil {
					t.Fatal(err)
				}
				said := lines(c, findings)
				switch bad := strings.HasPrefix(c, "bad/"); {
				case bad && !slices.ContainsFunc(findings, func(f diag.Finding) bool { return f.ID == id }):
					t.Errorf("%s: no %s in %q", c, id, said)
				case !bad && len(said) > 0:
					t.Errorf("%s: %q", c, said)
				}
				got = append(got, said...)
			}
			text := strings.Join(got, "\n") + "\n"
			if os.Getenv("GPUGEN_UPDATE") != "" {
				a.Comment = []byte(text)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if text != string(a.Comment) {
				t.Errorf("got\n%swant\n%s", text, a.Comment)
			}
		})
	}
	for _, kind := range rendered.Kinds {
		if !have[kind.ID] && kind.ID != "TREE-137" {
			t.Errorf("%s has no bad tree", kind.ID)
		}
	}
}

func lines(c string, findings diag.List) []string {
	var out []string
	for _, f := range findings.Sorted() {
		out = append(out, fmt.Sprintf("%s: %s:%d:%d %s %s", c, f.Position.File, f.Position.Line, f.Position.Column, f.ID, f.Message))
	}
	return out
}

func archive(t *testing.T, name string) fstest.MapFS {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	for _, f := range a.Files {
		out[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return out
}

// casesOf are the trees of an archive. FILE.removed takes a file out of the base.
func casesOf(a *txtar.Archive, base fstest.MapFS) map[string]fstest.MapFS {
	out := map[string]fstest.MapFS{}
	for _, f := range a.Files {
		parts := strings.SplitN(f.Name, "/", 3)
		c := parts[0] + "/" + parts[1]
		if out[c] == nil {
			out[c] = maps.Clone(base)
		}
		if gone, ok := strings.CutSuffix(parts[2], ".removed"); ok {
			delete(out[c], gone)
		} else if parts[2] != "" {
			out[c][parts[2]] = &fstest.MapFile{Data: large.ReplaceAllFunc(f.Data, enlarge)}
		}
	}
	return out
}

// large stands for a text of so many characters.
var large = regexp.MustCompile(`%BIG([0-9]+)%`)

func enlarge(m []byte) []byte {
	n, _ := strconv.Atoi(string(large.FindSubmatch(m)[1]))
	return []byte(strings.Repeat("x", n))
}

func TestALinkIsAFindingAndNotFollowed(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret.yaml")
	if err := os.WriteFile(secret, []byte("a: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "kustomization.yaml")); err != nil {
		t.Skip(err)
	}
	findings, err := rendered.Check(os.DirFS(dir), known(t), rendered.Options{})
	if err != nil || len(findings) != 1 || findings[0].ID != "TREE-128" {
		t.Errorf("%v, %v", findings, err)
	}
}

func TestALargeFileIsAFinding(t *testing.T) {
	dir := fstest.MapFS{"a.yaml": {Data: []byte("a: " + strings.Repeat("x", 9<<20))}}
	findings, err := rendered.Check(dir, known(t), rendered.Options{})
	if err != nil || len(findings) != 1 || findings[0].ID != "TREE-137" {
		t.Errorf("%d findings, %v", len(findings), err)
	}
}
