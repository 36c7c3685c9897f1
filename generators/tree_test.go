package generators_test

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/kustomize"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
)

func TestKustomizeBuildsEveryDirectoryOfATree(t *testing.T) {
	for _, example := range exampleNames(t) {
		if !sample.Some("builds "+example, 5) {
			continue
		}
		t.Run(example, func(t *testing.T) {
			result, findings := generators.Render(schema.Input{Path: filepath.Join(examplesDir, example)})
			if result == nil {
				t.Fatalf("%+v", findings)
			}
			if err := builds(result.Plan, result.Tree); err != nil {
				t.Error(err)
			}
			parts, err := generators.Stream(result)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range parts {
				documents, err := examples.Documents(part.Data)
				if err != nil || len(documents) == 0 {
					t.Errorf("%s builds to %d objects (%v)", part.Component, len(documents), err)
				}
			}
		})
	}
}

// builds has kustomize build every directory of a tree.
func builds(p *plan.Plan, t *tree.Tree) error {
	dirs := []string{"."}
	for _, c := range p.Components {
		if len(c.Objects) > 0 {
			dirs = append(dirs, c.Name)
		}
	}
	for _, dir := range dirs {
		if _, err := kustomize.Build(t, dir); err != nil {
			return err
		}
	}
	return nil
}

// A null would delete a default on its way through Helm, and a status is not a
// manifest's to write.
func TestTreesHoldNoNullAndNoStatus(t *testing.T) {
	eachExample(t, func(t *testing.T, _ string, files map[string][]byte) {
		parsed := 0
		for name, data := range files {
			if path.Ext(name) != ".yaml" {
				continue
			}
			parsed++
			if bytes.Contains(data, []byte("\n---")) {
				t.Errorf("%s: more than one document", name)
			}
			var value any
			if err := yaml.UnmarshalStrict(data, &value); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			object, ok := value.(map[string]any)
			if !ok {
				t.Errorf("%s holds no mapping", name)
			}
			if _, ok := object["status"]; ok {
				t.Errorf("%s: status", name)
			}
			for _, at := range nulls(value, "") {
				t.Errorf("%s: %s is null", name, at)
			}
		}
		if parsed == 0 {
			t.Error("no YAML in the tree")
		}
	})
}

func nulls(value any, at string) []string {
	var out []string
	switch value := value.(type) {
	case nil:
		out = append(out, at)
	case []any:
		for i, item := range value {
			out = append(out, nulls(item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			out = append(out, nulls(value[key], at+"."+key)...)
		}
	}
	return out
}

// A path that is not in the tree would leave an Application, or a Kustomization of
// Flux's, in error for ever.
func TestWhatSyncsPointsIntoTheTree(t *testing.T) {
	eachExample(t, func(t *testing.T, _ string, files map[string][]byte) {
		var root syncing
		mustParse(t, files["root.yaml"], &root)
		base := strings.TrimPrefix(root.Spec.Path, "./") // of Flux's
		if root.Kind == "Application" {
			base = root.Spec.Source.Path
		}
		if base == "" {
			t.Fatal("root.yaml has no path")
		}
		seen := 0
		for name, data := range files {
			if dir := path.Dir(name); dir != "argocd" && dir != "flux" {
				continue
			}
			var object syncing
			mustParse(t, data, &object)
			for _, file := range object.reads() {
				seen++
				mustHave(t, files, name, base, file)
			}
		}
		if seen == 0 {
			t.Error("nothing syncs a directory of the tree")
		}
	})
}

// LoadTree refuses an object that is in the tree twice.
func TestObjectsAreInOneFileOnly(t *testing.T) {
	for _, example := range exampleNames(t) {
		t.Run(example, func(t *testing.T) {
			objects, err := examples.LoadTree(filepath.Join(goldenDir, example))
			if err != nil {
				t.Fatal(err)
			}
			if len(objects) == 0 {
				t.Error("no objects in the tree")
			}
		})
	}
}

// syncing is what these tests read of an object that syncs a directory: an Application
// or an ApplicationSet of Argo CD's, a Kustomization of Flux's.
type syncing struct {
	Kind string
	Spec struct {
		Path       string
		Source     source
		Sources    []source
		Generators []struct {
			List struct {
				Elements []struct {
					Patch struct {
						Spec struct{ Sources []source }
					}
				}
			}
		}
	}
}

type source struct {
	Path string
	Helm struct{ ValueFiles []string }
}

// reads gives the files of the repository that must be there.
func (s syncing) reads() []string {
	sources := s.Spec.Sources
	for _, generator := range s.Spec.Generators {
		for _, element := range generator.List.Elements {
			sources = append(sources, element.Patch.Spec.Sources...)
		}
	}
	var files []string
	if s.Kind == "Kustomization" && s.Spec.Path != "" {
		files = append(files, path.Join(s.Spec.Path, "kustomization.yaml"))
	}
	for _, source := range sources {
		if source.Path != "" {
			files = append(files, path.Join(source.Path, "kustomization.yaml"))
		}
		for _, file := range source.Helm.ValueFiles {
			files = append(files, strings.TrimPrefix(file, "$values/"))
		}
	}
	return files
}

func mustParse(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func mustHave(t *testing.T, files map[string][]byte, by, base, file string) {
	t.Helper()
	inTree, ok := strings.CutPrefix(file, base+"/")
	if !ok {
		t.Errorf("%s: %s lies outside of %s", by, file, base)
		return
	}
	if _, ok := files[inTree]; !ok {
		t.Errorf("%s: %s is not in the tree", by, inTree)
	}
}
