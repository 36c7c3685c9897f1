package anyspec

import (
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/spectest"
)

// Judge says what is found about a spec. An error is what must be said of none.
type Judge func(spec map[string]any) (diag.List, error)

const (
	// begins is from how many specs an aim is tried, mends how many changes each gets
	// at places that errors name.
	begins, mends = 2, 4
)

// valid draws a spec of which a judge finds no error. It says what the first of some
// aims is, if that was reached, and what others are where that goes with it. With an
// error of the judge goes the spec that it is about.
func (s *Source) valid(t *rapid.T, aims []aim, judge Judge) (map[string]any, error) {
	begin, err := s.reach(t, aims[0], judge)
	if err != nil {
		return begin, err
	}
	spec, made := begin, []Change(nil)
	for _, a := range aims[1:] {
		c := s.towards(t, spec, a)
		made, spec = append(made, c), c.Apply(spec)
	}
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		c := s.Change(t, spec)
		made, spec = append(made, c), c.Apply(spec)
	}
	spec, err = Kept(begin, made, judge)
	if err != nil || s.Rendered == nil || rapid.IntRange(0, 2).Draw(t, "additions") == 0 {
		return spec, err
	}
	return Kept(spec, s.added(t, spec, aims, s.Rendered()), judge)
}

// reach draws a valid spec that says what an aim is. Where rules refuse it, what they
// name is changed; where that does not help, another spec is begun with. Some aims no
// valid spec says: then it is a good one without.
func (s *Source) reach(t *rapid.T, a aim, judge Judge) (map[string]any, error) {
	for range begins {
		begin := s.near(t, a)
		spec := s.towards(t, begin, a).Apply(begin)
		for range mends {
			findings, err := judge(spec)
			if err != nil || !findings.HasErrors() {
				return spec, err
			}
			c, ok := s.mend(t, spec, findings)
			if !ok {
				break
			}
			if mended := c.Apply(spec); s.says(mended, a) {
				spec = mended
			}
		}
	}
	return s.near(t, a), nil
}

// mend draws a change at one of the places that errors name; false if they name none.
func (s *Source) mend(t *rapid.T, spec map[string]any, findings diag.List) (Change, bool) {
	places := placesOf(findings)
	if len(places) == 0 {
		return Change{}, false
	}
	path := rapid.SampledFrom(places).Draw(t, "place")
	p, at := s.top, any(spec)
	for i, key := range path {
		switch name := key.(type) {
		case string:
			has, _ := at.(map[string]any)
			if p.free() || p.child(name) == nil {
				return Change{path[:i], s.value(t, p)}, i > 0
			}
			p, at = p.child(name), has[name]
		case int:
			has, _ := at.([]any)
			if p = p.element(); name >= len(has) {
				return Change{path[:i+1], s.value(t, p)}, true
			}
			at = has[name]
		}
	}
	switch has := at.(type) {
	case nil:
		return Change{path, s.value(t, p)}, true
	case map[string]any:
		if !p.free() && rapid.IntRange(0, 2).Draw(t, "within") > 0 {
			c := s.change(t, p, has)
			return Change{slices.Concat(path, c.Path), c.Value}, true
		}
	}
	if !p.required && rapid.Bool().Draw(t, "take away") {
		return Change{path, Gone}, true
	}
	return Change{path, s.value(t, p)}, true
}

// placesOf are the places that errors are about, each once, in their order.
func placesOf(findings diag.List) (out [][]any) {
	add := func(path string) {
		elements := spectest.Elements(path)
		if len(elements) > 0 && !slices.ContainsFunc(out, func(has []any) bool { return slices.Equal(has, elements) }) {
			out = append(out, elements)
		}
	}
	for _, f := range findings {
		if f.Severity != diag.Error {
			continue
		}
		add(f.Path)
		for _, also := range f.Also {
			add(also.Path)
		}
	}
	return out
}

// Kept makes changes in a valid spec. Where a judge finds errors, changes that they name
// are taken back, until it finds none.
func Kept(begin map[string]any, made []Change, judge Judge) (map[string]any, error) {
	for {
		spec := begin
		for _, c := range made {
			spec = c.Apply(spec)
		}
		findings, err := judge(spec)
		if err != nil || !findings.HasErrors() {
			return spec, err
		}
		if len(made) == 0 {
			return spec, notValid{findings}
		}
		made = withoutCulprits(made, placesOf(findings))
	}
}

// notValid is said of a spec that was taken for valid.
type notValid struct{ findings diag.List }

func (e notValid) Error() string {
	out := "a good spec is refused:"
	for _, line := range spectest.Brief(e.findings) {
		out += "\n" + line
	}
	return out
}

// withoutCulprits takes back the later half of the changes that stand at such places;
// where none does, of all.
func withoutCulprits(made []Change, places [][]any) []Change {
	culprit := func(c Change) bool {
		return slices.ContainsFunc(places, func(place []any) bool {
			n := min(len(place), len(c.Path))
			return slices.Equal(place[:n], c.Path[:n])
		})
	}
	stay := 0 // how many culprits do
	for _, c := range made {
		if culprit(c) {
			stay++
		}
	}
	if stay == 0 {
		return made[:len(made)/2]
	}
	stay /= 2
	return slices.DeleteFunc(slices.Clone(made), func(c Change) bool {
		if !culprit(c) {
			return false
		}
		stay--
		return stay < 0
	})
}

// says tells whether a spec says what an aim is.
func (s *Source) says(spec map[string]any, a aim) bool {
	count := map[string]int{}
	s.Said(spec, count)
	return count[a.String()] > 0
}

// Smaller takes away from a spec what it does not take to fail, as far as it gets in time.
func Smaller(spec map[string]any, within time.Duration, fails func(map[string]any) bool) map[string]any {
	began := time.Now()
	for again := true; again; {
		again = false
		for _, path := range paths(spec, nil) {
			if time.Since(began) > within {
				return spec
			}
			if !stands(spec, path) {
				continue // it went with what it was part of
			}
			if less := (Change{path, Gone}).Apply(spec); fails(less) {
				spec, again = less, true
			}
		}
	}
	return spec
}

// paths of all that stands in some data, the outer before the inner.
func paths(at any, path []any) (out [][]any) {
	switch v := at.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, below(path, key))
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, paths(v[key], below(path, key))...)
		}
	case []any:
		for i := range v {
			out = append(out, below(path, i))
		}
		for i, e := range v {
			out = append(out, paths(e, below(path, i))...)
		}
	}
	return out
}

func stands(at any, path []any) bool {
	for _, key := range path {
		switch key := key.(type) {
		case string:
			m, _ := at.(map[string]any)
			next, ok := m[key]
			if !ok {
				return false
			}
			at = next
		case int:
			l, _ := at.([]any)
			if key >= len(l) {
				return false
			}
			at = l[key]
		}
	}
	return true
}
