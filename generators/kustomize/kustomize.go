// Package kustomize owns the kustomize side of a tree: each component's
// directory of objects, and what `kustomize build` makes of a directory. It must
// not know Argo CD.
package kustomize

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

// FileName of a kustomization.
const FileName = "kustomization.yaml"

// Write adds a component's objects to the tree, one file each, and the
// kustomization that lists them. A component without objects has none.
func Write(t *tree.Tree, c plan.Component, header string) error {
	if len(c.Objects) == 0 {
		return nil
	}
	shared := map[string]int{}
	for _, object := range c.Objects {
		shared[fileName(object, false)]++
	}
	var names []string
	for _, key := range slices.Sorted(maps.Keys(c.Objects)) {
		object := c.Objects[key]
		name := fileName(object, shared[fileName(object, false)] > 1)
		if slices.Contains(names, name) {
			return fmt.Errorf("component %s: two objects would be in %s", c.Name, name)
		}
		names = append(names, name)
		if err := t.AddYAML(path.Join(c.Name, name), header, object); err != nil {
			return fmt.Errorf("component %s: %w", c.Name, err)
		}
	}
	slices.Sort(names)
	return t.AddYAML(path.Join(c.Name, FileName), header, kustomization(names, c.Patches))
}

func kustomization(resources []string, patches []map[string]any) map[string]any {
	out := map[string]any{
		"apiVersion": "kustomize.config.k8s.io/v1beta1",
		"kind":       "Kustomization",
		"resources":  resources,
	}
	if len(patches) > 0 {
		out["patches"] = patches
	}
	return out
}

// Patch says what each of a component's patches does to its objects, and stops at
// the first that fails: which of them, in the order of their keys, it changes.
//
// An error is kustomize's, about that patch.
func Patch(c plan.Component) (changed [][]string, err error) {
	keys := slices.Sorted(maps.Keys(c.Objects))
	before, err := patched(c, keys, 0)
	if err != nil {
		return nil, err
	}
	for n := range c.Patches {
		after, err := patched(c, keys, n+1)
		if err != nil {
			return changed, err
		}
		if len(after) != len(before) {
			return changed, errors.New("the patch removes an object")
		}
		var these []string
		for i, key := range keys {
			if after[i] != before[i] {
				these = append(these, key)
			}
		}
		changed, before = append(changed, these), after
	}
	return changed, nil
}

// patched are a component's objects after its first n patches, in the order of keys.
func patched(c plan.Component, keys []string, n int) ([]string, error) {
	t := &tree.Tree{}
	var names []string
	for i, key := range keys {
		name := fmt.Sprintf("%04d.yaml", i)
		names = append(names, name)
		if err := t.AddYAML(name, "", c.Objects[key]); err != nil {
			return nil, err
		}
	}
	if err := t.AddYAML(FileName, "", kustomization(names, c.Patches[:n])); err != nil {
		return nil, err
	}
	built, err := Build(t, ".")
	if err != nil {
		return nil, err
	}
	if len(built) == 0 {
		return nil, nil
	}
	return strings.Split(string(built), "\n---\n"), nil
}

// WriteList adds a kustomization of the given files to a directory of the tree.
func WriteList(t *tree.Tree, dir string, resources []string, header string) error {
	return t.AddYAML(path.Join(dir, FileName), header, kustomization(resources, nil))
}

// fileName is <kind>-<name>.yaml, or <kind>-<namespace>-<name>.yaml where the
// same name is used in several namespaces.
func fileName(object map[string]any, withNamespace bool) string {
	kind, _ := object["kind"].(string)
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if namespace, _ := metadata["namespace"].(string); withNamespace && namespace != "" {
		name = namespace + "-" + name
	}
	return strings.ToLower(kind) + "-" + strings.ReplaceAll(name, ":", "-") + ".yaml"
}

// Build returns what `kustomize build` prints for a directory of the tree.
//
// An error means that the directory does not build.
func Build(t *tree.Tree, dir string) ([]byte, error) {
	fs := filesys.MakeFsInMemory()
	for _, f := range t.Files() {
		if err := fs.WriteFile(path.Join("/", f.Path), f.Data); err != nil {
			return nil, err
		}
	}
	m, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, path.Join("/", dir))
	if err != nil {
		return nil, fmt.Errorf("kustomize build %s: %w", dir, err)
	}
	return m.AsYaml()
}
