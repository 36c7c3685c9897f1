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

// identity is what tells an object from all others.
func identity(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	group := object["apiVersion"]
	if text, ok := group.(string); ok {
		if before, _, ok := strings.Cut(text, "/"); ok {
			group = before
		} else {
			group = ""
		}
	}
	return fmt.Sprintf("%q %q %q %q", group, object["kind"], metadata["name"], metadata["namespace"])
}

// identityOf is that of an object's text.
func identityOf(text string) string {
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		return err.Error()
	}
	return identity(object)
}

// Patched is what patches do to the objects of a component.
type Patched struct {
	// Changed are the keys of the objects that each patch changes, in their order; of
	// patches from the first that fails on there are none.
	Changed [][]string
	// keys of all objects, and the objects as all patches leave them.
	keys, objects []string
}

// Patch says what each of a component's patches does to its objects, and stops at
// the first that fails.
//
// An error is kustomize's, about that patch.
func Patch(c plan.Component) (Patched, error) {
	keys := slices.Sorted(maps.Keys(c.Objects))
	if steps, err := stepwise(c, keys); err == nil {
		// What the steps lead to is judged by kustomize's own build of all of them.
		if built, err := patched(c, keys, len(c.Patches)); err == nil && slices.Equal(built, steps.objects) {
			return Patched{steps.changed, keys, built}, nil
		}
	}
	return patchByPatch(c, keys)
}

// Final are the objects that patches change, as all patches leave them, by key.
//
// An error is a defect of gpugen: kustomize prints what nobody reads.
func (p Patched) Final() (map[string]map[string]any, error) {
	out := map[string]map[string]any{}
	for _, key := range slices.Concat(p.Changed...) {
		at, _ := slices.BinarySearch(p.keys, key)
		var object map[string]any
		if err := yaml.Unmarshal([]byte(p.objects[at]), &object); err != nil {
			return nil, err
		}
		out[key] = object
	}
	return out, nil
}

// patchByPatch builds the objects with the first patch, the first two, and so on:
// dear, but exact where a patch fails or does more than to change what it selects.
func patchByPatch(c plan.Component, keys []string) (Patched, error) {
	out := Patched{keys: keys}
	before, err := patched(c, keys, 0)
	if err != nil {
		return out, err
	}
	for n := range c.Patches {
		after, err := patched(c, keys, n+1)
		if err != nil {
			return out, err
		}
		if len(after) != len(before) {
			return out, errRemoves
		}
		var these []string
		for i, key := range keys {
			if after[i] != before[i] {
				if identityOf(after[i]) != identityOf(before[i]) {
					return out, errRenames
				}
				these = append(these, key)
			}
		}
		out.Changed, before = append(out.Changed, these), after
	}
	out.objects = before
	return out, nil
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
