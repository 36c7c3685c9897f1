package anyspec

import (
	"fmt"
	"maps"
	"slices"

	"cuelang.org/go/cue"
)

// Injection is a text in one place of a spec, of a form that the schema takes there.
type Injection struct {
	// Field of the schema, with "*" for names that users choose and for elements; what
	// stands in data that take anything ends in "**".
	Field string
	// Spec with the text in it.
	Spec map[string]any
	// At is where it stands: the value, or the field that is called so.
	At []any
	// Text is all that stands there.
	Text string
	// Named says that a field is called so.
	Named bool
}

// Injections lists the places of a spec where the schema takes a text, each with the
// text in it: alone, or else behind, before or amid what stands there.
func (s *Source) Injections(spec map[string]any, text string) []Injection {
	i := &injector{spec: spec, text: text}
	i.value(s.top, nil, spec)
	return i.out
}

type injector struct {
	spec map[string]any
	text string
	out  []Injection
}

// forms of the text where something stands already.
func (i *injector) forms(was string) []string {
	return []string{i.text, was + i.text, was + "/" + i.text, was[:len(was)/2] + i.text + was[len(was)/2:], i.text + was}
}

func (i *injector) add(field string, at []any, text string, named bool, changes ...Change) {
	spec := i.spec
	for _, c := range changes {
		spec = c.Apply(spec)
	}
	i.out = append(i.out, Injection{field, spec, at, text, named})
}

func (i *injector) value(p *place, at []any, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			i.name(p, at, v, name)
			if c := p.child(name); c != nil && !p.free() {
				i.value(c, below(at, name), v[name])
			} else {
				i.data(p.path+".**", below(at, name), v[name])
			}
		}
	case []any:
		for n, e := range v {
			i.value(p.element(), below(at, n), e)
		}
	case string:
		if p.is(cue.TopKind) {
			i.data(p.path+".**", at, v)
			return
		}
		for _, text := range i.forms(v) {
			if text != v && p.v.Unify(p.source.engine.Ctx.Encode(text)).Err() == nil {
				i.add(p.path, at, text, false, Change{at, text})
				return
			}
		}
	}
}

// name calls a field after the text, where users choose its name.
func (i *injector) name(p *place, at []any, has map[string]any, name string) {
	if p.known()[name] != nil {
		return
	}
	for _, other := range i.forms(name) {
		if _, taken := has[other]; !taken && other != "" && p.v.Allows(cue.Str(other)) && p.known()[other] == nil {
			i.add(p.path+".*", below(at, other), other, true, Change{below(at, name), Gone}, Change{below(at, other), has[name]})
			return
		}
	}
}

// data goes through what may be anything.
func (i *injector) data(field string, at []any, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if _, taken := v[i.text]; !taken && i.text != "" {
				i.add(field, below(at, i.text), i.text, true, Change{below(at, name), Gone}, Change{below(at, i.text), v[name]})
			}
			i.data(field, below(at, name), v[name])
		}
	case []any:
		for n, e := range v {
			i.data(field, below(at, n), e)
		}
	default:
		if fmt.Sprint(v) != i.text {
			i.add(field, at, i.text, false, Change{at, i.text})
		}
	}
}
