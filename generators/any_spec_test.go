package generators_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/kustomize"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/internal/anyspec"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/spectest"
)

// Whatever a valid spec says, it leads to a tree that builds, of the same bytes each
// time and from each format, and a second render changes nothing. No spec, valid or
// not, is a defect of gpugen.
func TestAnyValidSpecRendersToATreeThatBuilds(t *testing.T) {
	source, err := anyspec.Repository("..")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	specs := 0
	anyspec.Check(t, 120, 4, func(t *rapid.T) {
		specs++
		begin, made := source.Begin(t)
		spec := begin
		for _, c := range made {
			spec = c.Apply(spec)
		}
		for range rapid.IntRange(0, 8).Draw(t, "changes") {
			c := source.Change(t, spec)
			made = append(made, c)
			spec = c.Apply(spec)
		}
		spec, result := renderKept(t, begin, made)
		source.Said(spec, said)
		holds(t, spec, result)
	})
	all := source.All()
	missing := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return said[name] > 0 })
	t.Logf("%d specs; %d of %d fields and values said", specs, len(all)-len(missing), len(all))
	if os.Getenv(anyspec.TimesVariable) != "" {
		t.Logf("not said: %v", missing)
	}
}

// Specs that were drawn once and held something wrong, cut down to what it takes: each
// says in its first line what that was.
func TestSpecsThatWereDrawnOnceAreNoDefects(t *testing.T) {
	names, err := filepath.Glob("testdata/drawn/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal("no specs", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var spec map[string]any
			if err := yaml.Unmarshal(data, &spec); err != nil {
				t.Fatal(err)
			}
			if result, findings := renderText(t, string(data)); result != nil {
				holds(t, spec, result)
			} else {
				t.Log(spectest.Brief(findings))
			}
		})
	}
}

// renderKept renders a spec with changes made to it. Where rules refuse it, the changes
// that they name are taken back.
func renderKept(t *rapid.T, begin map[string]any, made []anyspec.Change) (map[string]any, *generators.Result) {
	for {
		spec := begin
		for _, c := range made {
			spec = c.Apply(spec)
		}
		result, findings := renderData(t, spec, false)
		if result != nil {
			return spec, result
		}
		if len(made) == 0 {
			t.Fatalf("a good spec does not render: %v\n%s", spectest.Brief(findings), text(spec))
		}
		made = withoutCulprits(made, findings)
	}
}

// withoutCulprits takes back the changes that errors are about; where none is, half of them.
func withoutCulprits(made []anyspec.Change, findings diag.List) []anyspec.Change {
	var places [][]any
	for _, f := range findings {
		if f.Severity != diag.Error {
			continue
		}
		places = append(places, spectest.Elements(f.Path))
		for _, also := range f.Also {
			places = append(places, spectest.Elements(also.Path))
		}
	}
	kept := slices.DeleteFunc(slices.Clone(made), func(c anyspec.Change) bool {
		return slices.ContainsFunc(places, func(place []any) bool {
			n := min(len(place), len(c.Path))
			return n > 0 && slices.Equal(place[:n], c.Path[:n])
		})
	})
	if len(kept) == len(made) {
		kept = kept[:len(kept)/2]
	}
	return kept
}

func text(spec map[string]any) string {
	data, err := yaml.Marshal(spec)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// renderData renders a spec, and checks what holds for every finding about any spec.
// The result is nil if there is an error.
func renderData(t rapid.TB, spec map[string]any, asJSON bool) (*generators.Result, diag.List) {
	if !asJSON {
		return renderText(t, text(spec))
	}
	data, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	return renderText(t, string(data))
}

func renderText(t rapid.TB, written string) (*generators.Result, diag.List) {
	result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(written)})
	for _, f := range findings {
		if slices.Contains([]string{"RULE-001", "RULE-002", "SPEC-014", "SPEC-018"}, f.ID) || f.Fatal {
			t.Fatalf("%s: %s\n%s", f.ID, f.Message, written)
		}
		if f.Position.Line < 1 || f.Position.File != "<stdin>" || f.Message == "" || diag.Hidden(f.Message) != "" {
			t.Fatalf("not a good finding: %+v\n%s", f, written)
		}
	}
	if findings.HasErrors() != (result == nil) {
		t.Fatalf("there is a tree, and there are errors: %v\n%s", spectest.Brief(findings), written)
	}
	return result, findings
}

// holds checks what holds for the tree of every valid spec.
func holds(t rapid.TB, spec map[string]any, result *generators.Result) {
	again, _ := renderData(t, spec, true)
	if again == nil {
		t.Fatalf("in JSON it is not valid:\n%s", text(spec))
	}
	first, second := result.Tree.Files(), again.Tree.Files()
	if len(first) != len(second) {
		t.Fatalf("there are %d files, then %d\n%s", len(first), len(second), text(spec))
	}
	for i, f := range first {
		if f.Path != second[i].Path || !bytes.Equal(f.Data, second[i].Data) {
			t.Fatalf("%s is another one in JSON\n%s", f.Path, text(spec))
		}
		for _, line := range strings.Split(string(f.Data), "\n") {
			if hidden := diag.Hidden(line); hidden != "" {
				t.Fatalf("%s holds %s: %q\n%s", f.Path, hidden, line, text(spec))
			}
		}
		if path.Base(f.Path) != "kustomization.yaml" {
			continue
		}
		if _, err := kustomize.Build(result.Tree, path.Dir(f.Path)); err != nil {
			t.Fatalf("%v\n%s", err, text(spec))
		}
	}
	top, err := os.MkdirTemp("", "gpugen-any-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(top)
	dir := filepath.Join(top, "tree")
	if _, found := tree.Write(context.Background(), dir, result.Tree, result.Meta, tree.Options{}); len(found) > 0 {
		t.Fatalf("it is not written: %v\n%s", found, text(spec))
	}
	changes, found := tree.Write(context.Background(), dir, again.Tree, result.Meta, tree.Options{})
	if len(found) > 0 || changes.Any() {
		t.Fatalf("a second render changes %+v: %v\n%s", changes, found, text(spec))
	}
}
