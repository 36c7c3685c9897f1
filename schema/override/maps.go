package override

import (
	"maps"
	"slices"
	"strings"
)

// leavesOf lists the leaves of Helm values: scalars, lists and empty maps, by
// path in order of keys. What stands at one of the paths in whole is a leaf, whatever
// it is.
func leavesOf(values map[string]any, path []string, whole ...string) []override {
	var out []override
	for _, key := range slices.Sorted(maps.Keys(values)) {
		at := append(slices.Clone(path), key)
		if m, ok := values[key].(map[string]any); ok && len(m) > 0 && !slices.Contains(whole, strings.Join(at, ".")) {
			out = append(out, leavesOf(m, at, whole...)...)
			continue
		}
		out = append(out, override{path: at, value: values[key]})
	}
	return out
}

// remove deletes a leaf and the maps that it leaves empty.
func remove(m map[string]any, path []string) {
	if len(path) == 1 {
		delete(m, path[0])
		return
	}
	inner, ok := m[path[0]].(map[string]any)
	if !ok {
		return
	}
	remove(inner, path[1:])
	if len(inner) == 0 {
		delete(m, path[0])
	}
}

// set puts a leaf into a tree of maps.
func set(m map[string]any, path []string, value any) {
	for ; len(path) > 1; path = path[1:] {
		m = inner(m, path[0])
	}
	m[path[0]] = value
}

// inner returns a map below a map, made if it is not there.
func inner(m map[string]any, key string) map[string]any {
	below, ok := m[key].(map[string]any)
	if !ok {
		below = map[string]any{}
		m[key] = below
	}
	return below
}

func isListOfMaps(v any) bool {
	list, ok := v.([]any)
	if !ok {
		return false
	}
	for _, e := range list {
		if _, ok := e.(map[string]any); !ok {
			return false
		}
	}
	return true
}
