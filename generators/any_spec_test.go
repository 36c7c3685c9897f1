package generators_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
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
	"github.com/gpugen/gpugen/generators/plan"
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
	var result *generators.Result
	judge := func(spec map[string]any) (findings diag.List, err error) {
		result, findings, err = judged(text(spec))
		return findings, err
	}
	source.Rendered = func() anyspec.Rendered { return ofGpugen(result) }
	source.Each(t, 120, 2, judge, func(spec map[string]any) error { return holds(spec, result) })
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
				if err := holds(spec, result); err != nil {
					t.Fatal(err)
				}
			} else {
				t.Log(spectest.Brief(findings))
			}
		})
	}
}

// ofGpugen are the objects that gpugen itself renders, of releases that take patches.
func ofGpugen(result *generators.Result) anyspec.Rendered {
	out := anyspec.Rendered{}
	for _, c := range result.Plan.Components {
		if _, ok := out[c.Of]; ok {
			continue
		}
		out[c.Of] = []map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(c.Objects)) {
			if _, ok := plan.UserObject(key); !ok {
				out[c.Of] = append(out[c.Of], c.Objects[key])
			}
		}
	}
	return out
}

func text(spec map[string]any) string {
	data, err := yaml.Marshal(spec)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// renderText renders a spec, which is no defect of gpugen.
func renderText(t rapid.TB, written string) (*generators.Result, diag.List) {
	result, findings, err := judged(written)
	if err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
	return result, findings
}

// judged renders a spec, and checks what holds for every finding about any spec.
// The result is nil if there is an error finding.
func judged(written string) (*generators.Result, diag.List, error) {
	result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(written)})
	for _, f := range findings {
		if slices.Contains([]string{"RULE-001", "RULE-002", "SPEC-014", "SPEC-018"}, f.ID) || f.Fatal {
			return nil, nil, fmt.Errorf("%s: %s", f.ID, f.Message)
		}
		if f.Position.Line < 1 || f.Position.File != "<stdin>" || f.Message == "" || diag.Hidden(f.Message) != "" {
			return nil, nil, fmt.Errorf("not a good finding: %+v", f)
		}
	}
	if findings.HasErrors() != (result == nil) {
		return nil, nil, fmt.Errorf("there is a tree, and there are errors: %v", spectest.Brief(findings))
	}
	return result, findings, nil
}

// holds checks what holds for the tree of every valid spec.
func holds(spec map[string]any, result *generators.Result) error {
	asJSON, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	again, findings, err := judged(string(asJSON))
	if again == nil {
		return fmt.Errorf("in JSON it is not valid: %v %v", spectest.Brief(findings), err)
	}
	first, second := result.Tree.Files(), again.Tree.Files()
	if len(first) != len(second) {
		return fmt.Errorf("there are %d files, then %d", len(first), len(second))
	}
	for i, f := range first {
		if f.Path != second[i].Path || !bytes.Equal(f.Data, second[i].Data) {
			return fmt.Errorf("%s is another one in JSON", f.Path)
		}
		for _, line := range strings.Split(string(f.Data), "\n") {
			if hidden := diag.Hidden(line); hidden != "" {
				return fmt.Errorf("%s holds %s: %q", f.Path, hidden, line)
			}
		}
		if path.Base(f.Path) != "kustomization.yaml" {
			continue
		}
		if _, err := kustomize.Build(result.Tree, path.Dir(f.Path)); err != nil {
			return err
		}
	}
	return writtenTwice(result, again)
}

// writtenTwice writes a tree, and once more, which must change nothing.
func writtenTwice(result, again *generators.Result) error {
	top, err := os.MkdirTemp("", "gpugen-any-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(top)
	dir := filepath.Join(top, "tree")
	if _, found := tree.Write(context.Background(), dir, result.Tree, result.Meta, tree.Options{}); len(found) > 0 {
		return fmt.Errorf("it is not written: %v", found)
	}
	changes, found := tree.Write(context.Background(), dir, again.Tree, result.Meta, tree.Options{})
	if len(found) > 0 || changes.Any() {
		return fmt.Errorf("a second render changes %+v: %v", changes, found)
	}
	return nil
}
