// Package kustomize owns the kustomize side of a tree: each component's
// directory of objects, and what `kustomize build` makes of a directory. It must
// not know Argo CD.
package kustomize

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"path"
	"regexp"
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
	called := FileNames(c.Objects)
	var names []string
	for _, key := range slices.Sorted(maps.Keys(c.Objects)) {
		name := called[key]
		if !plainName.MatchString(name) {
			return fmt.Errorf("component %s: %q is no name for a file", c.Name, name)
		}
		if slices.Contains(names, name) {
			return fmt.Errorf("component %s: two objects would be in %s", c.Name, name)
		}
		names = append(names, name)
		if err := t.AddYAML(path.Join(c.Name, name), header, c.Objects[key]); err != nil {
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
		"resources":  append([]string{}, resources...),
	}
	if len(resources) == 0 {
		// Without anything else kustomize refuses it as empty, as soon as Flux has written
		// it anew without the empty list.
		out["generatorOptions"] = map[string]any{}
	}
	if len(patches) > 0 {
		out["patches"] = patches
	}
	return out
}

// WriteList adds a kustomization of the given files to a directory of the tree.
func WriteList(t *tree.Tree, dir string, resources []string, header string) error {
	return t.AddYAML(path.Join(dir, FileName), header, kustomization(resources, nil))
}

// plainName is a file in the directory itself. kustomize takes other resources
// for paths, repositories and URLs, and fetches them.
var plainName = regexp.MustCompile(`^[a-z0-9][A-Za-z0-9._-]*[.]yaml$`)

// FileNames are the objects' files: <kind>-<name>.yaml; where objects share one,
// the namespace stands before the name, and where they still do, the kind's group. Names
// that differ in capitals alone, which not every file system tells apart, get a hash.
func FileNames(objects map[string]map[string]any) map[string]string {
	out := map[string]string{}
	for detail := range 3 {
		owners := map[string][]string{}
		for key, object := range objects {
			if detail == 0 {
				out[key] = fileName(object, 0)
			}
			folded := strings.ToLower(out[key])
			owners[folded] = append(owners[folded], key)
		}
		for _, keys := range owners {
			for _, key := range keys {
				if len(keys) > 1 {
					out[key] = fileName(objects[key], detail+1)
				}
			}
		}
	}
	return out
}

// fileName says more about an object the more detail there is: its namespace
// from 1 on, its group from 2 on, a hash of its name from 3 on. Names of roles may hold a colon, which not
// every file system takes; names hold no underscore.
func fileName(object map[string]any, detail int) string {
	kind, _ := object["kind"].(string)
	apiVersion, _ := object["apiVersion"].(string)
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	kind, name = strings.ToLower(kind), strings.ReplaceAll(name, ":", "_")
	if detail >= 3 {
		h := fnv.New32a()
		_, _ = h.Write([]byte(name))
		name += fmt.Sprintf("_%08x", h.Sum32())
	}
	if namespace, _ := metadata["namespace"].(string); detail >= 1 && namespace != "" {
		name = namespace + "-" + name
	}
	if group, _, ok := strings.Cut(apiVersion, "/"); detail >= 2 && ok {
		kind += "." + group
	}
	return kind + "-" + name + ".yaml"
}

// Build returns what `kustomize build` prints for a directory of the tree, keys in the
// order of tree.Marshal.
//
// An error means that the directory does not build.
func Build(t *tree.Tree, dir string) (built []byte, err error) {
	defer refusedByPanic(&err)
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
	var out bytes.Buffer
	for i, r := range m.Resources() {
		if i > 0 {
			out.WriteString("---\n")
		}
		object, err := r.Map()
		if err != nil {
			return nil, err
		}
		data, err := tree.Marshal(object)
		if err != nil {
			return nil, err
		}
		out.Write(data)
	}
	return out.Bytes(), nil
}

// refusedByPanic makes an error of a panic: kustomize has some at objects of another
// form than Kubernetes', such as annotations that are a list of one.
func refusedByPanic(err *error) {
	if said := recover(); said != nil {
		*err = fmt.Errorf("kustomize cannot read an object (%v)", said)
	}
}
