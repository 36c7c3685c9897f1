package anyspec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"pgregory.net/rapid"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/knowledge"
)

// chart is the index of the chart whose values stand at a place; nil if gpugen knows none.
func (p *place) chart() *chartindex.Index {
	rest, ok := strings.CutPrefix(p.path, "components.")
	name, below, _ := strings.Cut(rest, ".")
	if !ok || below != "values" && below != "pools.*.values" {
		return nil
	}
	version, err := p.source.engine.PreferredVersion(name)
	if err != nil {
		return nil
	}
	index := p.source.indexes[name]
	if index == nil {
		if index = p.source.engine.IndexOf(name, version); index != nil {
			p.source.indexes[name] = index
		}
	}
	return index
}

// anything draws data for a place that takes any: values that the chart has, if it is
// one of a chart's values.
func (s *Source) anything(t *rapid.T, p *place) any {
	index := p.chart()
	if index == nil {
		return s.data(t, 3)
	}
	var leaves []*chartindex.Value
	for _, v := range index.Leaves() {
		leaves = append(leaves, v)
	}
	out := any(map[string]any{})
	for range rapid.IntRange(1, 3).Draw(t, "values") {
		v := rapid.SampledFrom(leaves).Draw(t, "value")
		path := make([]any, len(v.Path))
		for i, name := range v.Path {
			path[i] = name
		}
		out = with(out, path, s.chartValue(t, v))
	}
	return out
}

// chartValue draws something of the type that a chart has at a path.
func (s *Source) chartValue(t *rapid.T, v *chartindex.Value) any {
	types := v.Accepts
	if len(types) == 0 {
		types = []chartindex.Type{v.Type}
	}
	switch rapid.SampledFrom(types).Draw(t, "type") {
	case chartindex.TypeBoolean:
		return rapid.Bool().Draw(t, "truth")
	case chartindex.TypeInteger, chartindex.TypeNumber:
		return int64(rapid.SampledFrom([]int{0, 1, 5, 30, 9400}).Draw(t, "number"))
	case chartindex.TypeArray:
		return []any{}
	case chartindex.TypeObject:
		return map[string]any{"example.com/a": "b"}
	}
	return s.word(t)
}

// data draws free data.
func (s *Source) data(t *rapid.T, depth int) any {
	out := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "names") {
		name := rapid.SampledFrom([]string{"a", "b", "aB", "a.b/c", "a b", "0755", "true", "é", "a-b", "#a", "a: b"}).Draw(t, "name")
		switch kind := rapid.IntRange(0, 6).Draw(t, "kind"); {
		case kind == 0 && depth > 0:
			out[name] = s.data(t, depth-1)
		case kind == 1:
			out[name] = []any{s.word(t), int64(1)}
		case kind == 2:
			out[name] = rapid.Bool().Draw(t, "truth")
		case kind == 3:
			out[name] = rapid.SampledFrom([]any{int64(0), int64(-7), int64(1) << 53, 0.5}).Draw(t, "number")
		default:
			out[name] = s.word(t)
		}
	}
	return out
}

// word draws a text, also one that YAML, shells and templates might take for something else.
func (s *Source) word(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"a", "", "true", "0755", "1e3", "null", "~", "2026-11-22", "a: b", "- a", "# a", "{{ .x }}", "$(id)", "`id`", "a\nb\n", " a ", "*a", "&a", "%", "|", "é", "'", "\"", "\\",
	}).Draw(t, "word")
}

// ValueMutations lists mistakes in the Helm values of a spec: a misspelt key, a value
// of another type. To the schema all of them are fine.
func (s *Source) ValueMutations(spec map[string]any) []Mutation {
	m := &mutator{spec: spec}
	components, _ := spec["components"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(components)) {
		component, _ := components[name].(map[string]any)
		at := []any{"components", name}
		m.values(append(slices.Clone(at), "values"), component["values"])
		pools, _ := component["pools"].(map[string]any)
		for _, pool := range slices.Sorted(maps.Keys(pools)) {
			of, _ := pools[pool].(map[string]any)
			m.values(append(slices.Clone(at), "pools", pool, "values"), of["values"])
		}
	}
	return m.out
}

func (m *mutator) values(path []any, at any) {
	has, _ := at.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(has)) {
		here, v := below(path, name), has[name]
		for _, other := range []string{name + "x", "x" + name, name[:len(name)-1], strings.ToUpper(name)} {
			if _, taken := has[other]; other != "" && !taken {
				m.add(fmt.Sprintf("%s for %s", other, name), below(path, other), Change{here, Gone}, Change{below(path, other), v})
			}
		}
		for _, other := range []any{map[string]any{"a": int64(1)}, []any{map[string]any{}}, "x y", int64(7), 1.5, true} {
			if chartindex.TypeOf(other) != chartindex.TypeOf(v) {
				m.add(fmt.Sprintf("%v for %v", other, v), here, Change{here, other})
			}
		}
		m.values(here, v)
	}
}

// versions are what the facts know of fields that take any text, by the field's path:
// versions of Kubernetes and of charts.
func versions(e *knowledge.Engine) (map[string][]any, error) {
	known, err := e.Known()
	if err != nil {
		return nil, err
	}
	out := map[string][]any{}
	for _, c := range known.Components {
		for _, v := range c.Versions {
			out["components."+c.Name+".version"] = append(out["components."+c.Name+".version"], v)
		}
	}
	var releases map[string]any
	if err := e.Facts().LookupPath(cue.ParsePath("kubernetes.releases")).Decode(&releases); err != nil {
		return nil, err
	}
	for _, minor := range slices.Sorted(maps.Keys(releases)) {
		out["kubernetes.version"] = append(out["kubernetes.version"], minor+".7")
	}
	return out, nil
}
