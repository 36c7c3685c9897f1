package anyspec

import (
	"fmt"
	"maps"
	"slices"

	"cuelang.org/go/cue"
)

// Mutation is a mistake in one place of a spec.
type Mutation struct {
	// What it is, for people.
	What string
	// Spec with the mistake in it.
	Spec map[string]any
	// At is where it stands: the label itself, or what lacks one.
	At []any
}

// Mutations lists mistakes that the schema refuses, at every place of a spec: a value
// of another type, a misspelt name, a required field left out, a number, text or
// choice that is not allowed.
func (s *Source) Mutations(spec map[string]any) []Mutation {
	m := &mutator{spec: spec}
	m.structure(s.top, nil, spec)
	return m.out
}

type mutator struct {
	spec map[string]any
	out  []Mutation
}

func (m *mutator) add(what string, at []any, changes ...Change) {
	spec := m.spec
	for _, c := range changes {
		spec = c.Apply(spec)
	}
	m.out = append(m.out, Mutation{what, spec, at})
}

func below(path []any, key any) []any { return append(slices.Clone(path), key) }

func (m *mutator) value(p *place, path []any, v any) {
	if p.is(cue.TopKind) {
		return
	}
	for _, other := range []any{map[string]any{"a": int64(1)}, []any{map[string]any{}}, "x y", int64(7), 1.5, true} {
		if p.source.engine.Ctx.Encode(other).IncompleteKind()&p.v.IncompleteKind() == 0 {
			m.add(fmt.Sprintf("%v for %v", other, p.v.IncompleteKind()), path, Change{path, other})
		}
	}
	switch v := v.(type) {
	case map[string]any:
		if !p.free() {
			m.structure(p, path, v)
		}
		return
	case []any:
		for i, e := range v {
			m.value(p.element(), below(path, i), e)
		}
		return
	}
	for _, other := range []any{int64(-1), int64(0), int64(17), int64(1) << 40, "", " ", "é", "A_b/", "-", "a: b", "zz", fmt.Sprint(v) + "x", fmt.Sprint(v) + " "} {
		encoded := p.source.engine.Ctx.Encode(other)
		if encoded.Kind()&p.v.IncompleteKind() != 0 && p.v.Unify(encoded).Err() != nil {
			m.add(fmt.Sprintf("%q for %v", fmt.Sprint(other), v), path, Change{path, other})
		}
	}
	if p.is(cue.StringKind) {
		m.add("a hidden character", path, Change{path, fmt.Sprint(v) + "\u202e"})
	}
}

func (m *mutator) structure(p *place, path []any, has map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(has)) {
		at := below(path, name)
		c := p.child(name)
		if c == nil {
			continue // of an open struct
		}
		for _, other := range []string{name + "x", "x" + name, name[:len(name)-1], name + "_", name + " b"} {
			if _, taken := has[other]; other != "" && !taken && !p.v.Allows(cue.Str(other)) {
				m.add(fmt.Sprintf("%s for %s", other, name), below(path, other), Change{at, Gone}, Change{below(path, other), has[name]})
			}
		}
		if c.required {
			m.add("without "+name, path, Change{at, Gone})
		}
		m.value(c, at, has[name])
	}
}
