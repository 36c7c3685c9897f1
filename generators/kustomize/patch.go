package kustomize

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

var (
	errRemoves = errors.New("the patch removes an object")
	errRenames = errors.New("the patch makes another object of one of gpugen's: kind, name, namespace and the group of apiVersion must stay")
)

// identity is what tells an object from all others, of its text.
func identity(object string) string {
	var of struct {
		APIVersion any `json:"apiVersion"`
		Kind       any `json:"kind"`
		Metadata   struct {
			Name      any `json:"name"`
			Namespace any `json:"namespace"`
		} `json:"metadata"`
	}
	if err := yaml.Unmarshal([]byte(object), &of); err != nil {
		return err.Error()
	}
	if text, ok := of.APIVersion.(string); ok {
		group, _, _ := strings.Cut(text, "/")
		if !strings.Contains(text, "/") {
			group = ""
		}
		of.APIVersion = group
	}
	return fmt.Sprintf("%q %q %q %q", of.APIVersion, of.Kind, of.Metadata.Name, of.Metadata.Namespace)
}

// Patch says what each of a component's patches does to its objects, and stops at
// the first that fails: which of them, in the order of their keys, it changes.
//
// An error is kustomize's, about that patch.
func Patch(c plan.Component) (changed [][]string, err error) {
	keys := slices.Sorted(maps.Keys(c.Objects))
	if steps, err := stepwise(c, keys); err == nil {
		// What the steps lead to is judged by kustomize's own build of all of them.
		if built, err := patched(c, keys, len(c.Patches)); err == nil && slices.Equal(built, steps.objects) {
			return steps.changed, nil
		}
	}
	return patchByPatch(c, keys)
}

// Final are the objects that a component's patches change, as all patches leave
// them, by key; changed is what Patch says of them.
//
// An error is kustomize's, and none if Patch has none.
func Final(c plan.Component, changed [][]string) (map[string]map[string]any, error) {
	keys := slices.Sorted(maps.Keys(c.Objects))
	built, err := patched(c, keys, len(c.Patches))
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]any{}
	for _, key := range slices.Concat(changed...) {
		at, _ := slices.BinarySearch(keys, key)
		var object map[string]any
		if err := yaml.Unmarshal([]byte(built[at]), &object); err != nil {
			return nil, err
		}
		out[key] = object
	}
	return out, nil
}

// patchByPatch builds the objects with the first patch, the first two, and so on:
// dear, but exact where a patch fails or does more than to change what it selects.
func patchByPatch(c plan.Component, keys []string) (changed [][]string, err error) {
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
			return changed, errRemoves
		}
		var these []string
		for i, key := range keys {
			if after[i] != before[i] {
				if identity(after[i]) != identity(before[i]) {
					return changed, errRenames
				}
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
	return strings.Split(strings.TrimSuffix(string(built), "\n"), "\n---\n"), nil
}
