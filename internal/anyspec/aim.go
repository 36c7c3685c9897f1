package anyspec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"pgregory.net/rapid"
)

// aim is something that a spec can say: a field, or a field with a value of a closed set.
type aim struct {
	// way leads from the top of the schema to the field, by names; "*" is any name,
	// or any element.
	way   []string
	place *place
	// value is nil where any will do.
	value any
	// kind is the same for what differs in nothing but where it stands, such as a
	// field that each component has.
	kind string
}

func (a aim) String() string {
	if a.value == nil {
		return a.place.path
	}
	return a.place.path + "=" + fmt.Sprint(a.value)
}

// aims lists all that a spec can say, and groups it by kind.
func (s *Source) listAims() {
	var list func(p *place, way []string)
	add := func(p *place, way []string, value any) {
		a := aim{way: slices.Clone(way), place: p, value: value, kind: strings.Join(way[max(0, len(way)-2):], ".")}
		if value != nil {
			a.kind += "=" + fmt.Sprint(value)
		}
		if s.aimsOf[a.kind] == nil {
			s.kinds = append(s.kinds, a.kind)
		}
		s.aimsOf[a.kind] = append(s.aimsOf[a.kind], a)
		s.aims = append(s.aims, a)
	}
	list = func(p *place, way []string) {
		switch {
		case p.free():
			add(p, way, nil)
		case p.is(cue.StructKind):
			for _, name := range slices.Sorted(maps.Keys(p.known())) {
				list(p.known()[name], append(slices.Clone(way), name))
			}
			if name := p.takesName(); name != "" {
				list(p.child(name), append(slices.Clone(way), "*"))
			}
		case p.is(cue.ListKind):
			list(p.element(), append(slices.Clone(way), "*"))
		default:
			add(p, way, nil)
			for _, value := range p.closed() {
				add(p, way, value)
			}
		}
	}
	list(s.top, nil)
}

// BeginWithValues draws a spec to begin with, and first changes of it: the first gives a
// component Helm values, the others say something that was drawn from all that a spec
// can say. What is rare in good specs comes up as often as what is common, and begins
// with a spec that says the most of what stands around it.
func (s *Source) BeginWithValues(t *rapid.T) (begin map[string]any, made []Change) {
	ofValues := slices.DeleteFunc(slices.Clone(s.aims), func(a aim) bool {
		return a.way[0] != "components" || a.way[len(a.way)-1] != "values" || !a.place.free()
	})
	first := rapid.SampledFrom(ofValues).Draw(t, "values")
	begin = s.near(t, first)
	spec := begin
	for i := range rapid.IntRange(1, 4).Draw(t, "aims") {
		a := first
		if i > 0 {
			a = s.aim(t)
		}
		c := s.towards(t, spec, a)
		made, spec = append(made, c), c.Apply(spec)
	}
	return begin, made
}

// rare are the aims that were said and tried least; a try without success counts half.
func (s *Source) rare(said, tried map[string]int) []aim {
	var out []aim
	least := -1
	for _, a := range s.aims {
		n := 2*said[a.String()] + tried[a.String()]
		if least < 0 || n < least {
			out, least = nil, n
		}
		if n == least {
			out = append(out, a)
		}
	}
	return out
}

func (s *Source) aim(t *rapid.T) aim {
	if rapid.Bool().Draw(t, "of a kind") {
		return rapid.SampledFrom(s.aimsOf[rapid.SampledFrom(s.kinds).Draw(t, "kind")]).Draw(t, "aim")
	}
	return rapid.SampledFrom(s.aims).Draw(t, "aim")
}

// near draws one of the good specs that go furthest on the way to an aim; now and
// then any.
func (s *Source) near(t *rapid.T, a aim) map[string]any {
	if rapid.IntRange(0, 3).Draw(t, "begin anywhere") == 3 {
		return s.Good(t)
	}
	var nearest []map[string]any
	furthest := -1
	for _, spec := range s.good {
		n := steps(s.top, spec, a.way)
		if n > furthest {
			nearest, furthest = nil, n
		}
		if n == furthest {
			nearest = append(nearest, spec)
		}
	}
	return rapid.SampledFrom(nearest).Draw(t, "begin near "+a.String())
}

// steps says how many steps of a way some data can go.
func steps(p *place, at any, way []string) int {
	if len(way) == 0 {
		return 0
	}
	most := -1
	switch v := at.(type) {
	case map[string]any:
		for name, value := range v {
			if c := p.child(name); c != nil && (name == way[0] || way[0] == "*" && c == p.pattern) {
				most = max(most, steps(c, value, way[1:]))
			}
		}
	case []any:
		for _, e := range v {
			most = max(most, steps(p.element(), e, way[1:]))
		}
	}
	return 1 + most
}

// towards draws a change after which a spec says what an aim is.
func (s *Source) towards(t *rapid.T, spec map[string]any, a aim) Change {
	p, at, path := s.top, any(spec), []any(nil)
	for i, name := range a.way {
		key, next := any(name), any(nil)
		switch v := at.(type) {
		case map[string]any:
			if name == "*" {
				key = s.name(t, p, v)
			}
			p, next = p.child(key.(string)), v[key.(string)]
		case []any:
			n := rapid.IntRange(0, len(v)).Draw(t, "element")
			key, p = n, p.element()
			if n < len(v) {
				next = v[n]
			}
		}
		if path = append(path, key); next == nil {
			return Change{path, s.saying(t, p, a, a.way[i+1:])}
		}
		at = next
	}
	return Change{path, s.saying(t, a.place, a, nil)}
}

// name draws one of the names that users choose: one that is there, or another.
func (s *Source) name(t *rapid.T, p *place, has map[string]any) string {
	var there, new []string
	for _, name := range s.names {
		if _, ok := has[name]; !ok && p.known()[name] == nil && p.child(name) != nil {
			new = append(new, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if p.known()[name] == nil && p.child(name) != nil {
			there = append(there, name)
		}
	}
	if len(new) == 0 || len(there) > 0 && rapid.IntRange(0, 3).Draw(t, "new name") > 0 {
		return rapid.SampledFrom(there).Draw(t, "name")
	}
	return rapid.SampledFrom(new).Draw(t, "name")
}

// saying draws data for a place, from which the rest of a way leads to an aim.
func (s *Source) saying(t *rapid.T, p *place, a aim, way []string) any {
	if len(way) == 0 {
		if a.value != nil {
			return a.value
		}
		return s.value(t, p)
	}
	var begin any
	var there []any
	for _, said := range s.said[p.alike()] {
		if steps(p, said, way) >= len(way)-1 {
			there = append(there, said)
		}
	}
	switch {
	case len(there) > 0 && rapid.IntRange(0, 3).Draw(t, "as a good spec") > 0:
		begin = rapid.SampledFrom(there).Draw(t, p.path)
	case p.is(cue.ListKind):
		begin = []any{}
	default:
		begin = s.least(t, p)
	}
	switch v := begin.(type) {
	case []any:
		n := 0
		if len(v) > 0 {
			n = rapid.IntRange(0, len(v)-1).Draw(t, "element")
		}
		return with(v, []any{n}, s.saying(t, p.element(), a, way[1:]))
	case map[string]any:
		key := way[0]
		if key == "*" {
			key = s.name(t, p, v)
		}
		if v[key] != nil && len(way) > 1 {
			if c := s.inside(t, p.child(key), v[key], a, way[1:]); c != nil {
				return with(v, []any{key}, c)
			}
		}
		return with(v, []any{key}, s.saying(t, p.child(key), a, way[1:]))
	}
	return s.value(t, p)
}

// inside changes data that is there on the way to an aim; nil if it is no map.
func (s *Source) inside(t *rapid.T, p *place, at any, a aim, way []string) any {
	v, ok := at.(map[string]any)
	if !ok || p.free() {
		return nil
	}
	key := way[0]
	if key == "*" {
		key = s.name(t, p, v)
	}
	if len(way) > 1 && v[key] != nil {
		if c := s.inside(t, p.child(key), v[key], a, way[1:]); c != nil {
			return with(v, []any{key}, c)
		}
	}
	return with(v, []any{key}, s.saying(t, p.child(key), a, way[1:]))
}

// least is a struct with what it must have.
func (s *Source) least(t *rapid.T, p *place) any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(p.known())) {
		if c := p.known()[name]; c.required {
			out[name] = s.value(t, c)
		}
	}
	return out
}
