// Package kustomize owns the kustomize side of a tree: each component's
// directory of objects, and what `kustomize build` makes of a directory. It must
// not know Argo CD.
package kustomize

import (
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
	return WriteList(t, c.Name, names, header)
}

// WriteList adds a kustomization of the given files to a directory of the tree.
func WriteList(t *tree.Tree, dir string, resources []string, header string) error {
	return t.AddYAML(path.Join(dir, FileName), header, map[string]any{
		"apiVersion": "kustomize.config.k8s.io/v1beta1",
		"kind":       "Kustomization",
		"resources":  resources,
	})
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
