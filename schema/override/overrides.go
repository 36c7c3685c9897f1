package override

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
)

// override is one leaf of the Helm values that a user wrote.
type override struct {
	component string
	// pool is set for values of one pool's release.
	pool string
	// path below values.
	path []string
	// list says that the value merges with a template's list.
	list  bool
	value any
}

// at is the place in the spec.
func (o override) at() []any {
	out := []any{"components", o.component}
	if o.pool != "" {
		out = append(out, "pools", o.pool)
	}
	out = append(out, "values")
	for _, label := range o.path {
		out = append(out, label)
	}
	return out
}

// serves tells whether a release takes its values from this override.
func (o override) serves(of, release string) bool {
	return of == o.component && (o.pool == "" || release == o.component || release == o.component+"-"+o.pool)
}

// overrides is a spec with the user's Helm values taken apart.
type overrides struct {
	// data is the spec for the knowledge base, values included.
	data map[string]any
	// lists are env entries and tolerations, by component and path.
	lists map[string]map[string]any
	// leaves are all of them, in order of their places.
	leaves []override
	// malformed are lists that are none.
	malformed []override
}

// overridesOf splits the lists that merge from the values that unify.
func overridesOf(e *knowledge.Engine, s *source.Spec) *overrides {
	o := &overrides{data: source.Clone(s.Data), lists: map[string]map[string]any{}}
	components, _ := o.data["components"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(components)) {
		component, _ := components[name].(map[string]any)
		o.take(e, component, name, "")
		pools, _ := component["pools"].(map[string]any)
		for _, pool := range slices.Sorted(maps.Keys(pools)) {
			entry, _ := pools[pool].(map[string]any)
			o.take(e, entry, name, pool)
		}
	}
	return o
}

func (o *overrides) take(e *knowledge.Engine, holder map[string]any, component, pool string) {
	values, ok := holder["values"].(map[string]any)
	if !ok {
		return
	}
	merged := mergedLists(e, component)
	for _, leaf := range leavesOf(values, nil, merged...) {
		leaf.component, leaf.pool = component, pool
		if leaf.value == nil && hasNoDefault(e, o.data, leaf) {
			remove(values, leaf.path)
			continue
		}
		path := strings.Join(leaf.path, ".")
		if pool == "" && slices.Contains(merged, path) {
			leaf.list = true
			remove(values, leaf.path)
			if !isListOfMaps(leaf.value) {
				o.malformed = append(o.malformed, leaf)
			} else {
				o.setList(component, path, leaf.value)
			}
		}
		o.leaves = append(o.leaves, leaf)
	}
}

func (o *overrides) setList(component, path string, value any) {
	if o.lists[component] == nil {
		o.lists[component] = map[string]any{}
	}
	o.lists[component][path] = value
}

// mergedLists are the paths whose lists merge with a template's.
func mergedLists(e *knowledge.Engine, component string) []string {
	var out []string
	v := e.Rules().LookupPath(cue.MakePath(cue.Str("merged"), cue.Str(component)))
	if v.Exists() {
		_ = v.Decode(&out)
	}
	return out
}

// without is the spec with none of the user's values.
func (o *overrides) without() *overrides {
	out := &overrides{data: source.Clone(o.data), lists: map[string]map[string]any{}}
	components, _ := out.data["components"].(map[string]any)
	for _, c := range components {
		component, _ := c.(map[string]any)
		delete(component, "values")
		delete(component, "pools")
	}
	return out
}

// with is the spec with just the given values.
func (o *overrides) with(leaves []override) *overrides {
	out := o.without()
	out.leaves = leaves
	components, _ := out.data["components"].(map[string]any)
	for _, leaf := range leaves {
		if leaf.list {
			out.setList(leaf.component, strings.Join(leaf.path, "."), leaf.value)
			continue
		}
		holder := inner(components, leaf.component)
		if leaf.pool != "" {
			holder = inner(inner(holder, "pools"), leaf.pool)
		}
		set(inner(holder, "values"), leaf.path, leaf.value)
	}
	return out
}

// conflicts are the leaves that do not go together with the templates.
func (o *overrides) conflicts(root cue.Value) []override {
	var out []override
	for _, leaf := range o.leaves {
		for _, release := range releases(root, leaf) {
			v := release.LookupPath(valuePath(leaf.path))
			if !v.Exists() {
				// A merged list stands behind an if, which an error in the list takes away.
				v = release
			}
			if v.Validate() != nil || clashesAbove(release, leaf.path) {
				out = append(out, leaf)
				break
			}
		}
	}
	return out
}

// clashesAbove tells whether what a path leads through is no map to the templates: the
// map's own fields are there, and right, all the same.
func clashesAbove(release cue.Value, path []string) bool {
	for n := range path[1:] {
		if v := release.LookupPath(valuePath(path[:n+1])); v.Exists() && v.IncompleteKind()&cue.StructKind == 0 {
			return true
		}
	}
	return false
}

// releases are the components that take an override.
func releases(root cue.Value, o override) []cue.Value {
	var out []cue.Value
	it, err := root.LookupPath(cue.ParsePath("components")).Fields()
	if err != nil {
		return nil
	}
	for it.Next() {
		of, _ := it.Value().LookupPath(cue.ParsePath("of")).String()
		if o.serves(of, it.Selector().Unquoted()) {
			out = append(out, it.Value())
		}
	}
	return out
}

// effective is the value at an override's path in each release that takes it.
func effective(root cue.Value, o override) []cue.Value {
	var out []cue.Value
	for _, release := range releases(root, o) {
		out = append(out, release.LookupPath(valuePath(o.path)))
	}
	return out
}

// valuePath is the CUE path of a path below a component's values.
func valuePath(path []string) cue.Path {
	selectors := []cue.Selector{cue.Str("values")}
	for _, label := range path {
		selectors = append(selectors, cue.Str(label))
	}
	return cue.MakePath(selectors...)
}

// heldPath leads to the same as valuePath, and to what the templates hold without
// setting it: optional fields.
func heldPath(path []string) cue.Path {
	selectors := []cue.Selector{cue.Str("values")}
	for _, label := range path {
		selectors = append(selectors, cue.Str(label).Optional())
	}
	return cue.MakePath(selectors...)
}
