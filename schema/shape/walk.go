package shape

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/syntax"
	"github.com/gpugen/gpugen/schema/typo"
)

// walker compares what a user wrote with the schema, side by side. CUE's own
// unification reports some faults only after others are mended; the walk finds
// all at once, each once, and repairs what it finds so that the rules can run.
type walker struct {
	Input
	schema *Schema
	spec   *source.Spec
	found  diag.List
	// reported holds what was found, so that a spec with many faults costs no more than
	// their number.
	reported map[reported]bool
	// quiet is positive inside something that is not supported as a whole.
	quiet int
	// lacking are required fields that are missing, and whose fix depends on the rest.
	lacking []lacking
	// closedOut are the paths of fields that definitions of the user's do not have.
	closedOut []string
}

// value compares one value. It returns the data to go on with, and false where
// the field is best left to the schema.
func (w *walker) value(path []any, v cue.Value, s *shape) (any, bool) {
	kind, v := classify(v)
	switch kind {
	case formError:
		if s.isStruct() && w.structError(path, v) {
			return w.structure(path, v, s)
		}
		own, ok := w.own(v)
		if !ok || !w.WithSchema {
			w.notComputed(path, v)
			return w.repair(path, s)
		}
		kind, v = formScalar, own
	case formAbstract:
		w.notConcrete(path, v)
		return w.repair(path, s)
	}
	if kind == formNull {
		if s.kind&cue.NullKind != 0 {
			return nil, true
		}
		w.add(path, noValue, "%s has no value; want %s", source.FieldText(path), w.wanted(s))
		return w.repair(path, s)
	}
	switch {
	case s.isStruct() && kind == formStruct:
		return w.structure(path, v, s)
	case s.isList() && kind == formList:
		return w.list(path, v, s)
	case s.kind == cue.TopKind:
		return w.free(path, v)
	case !s.isStruct() && !s.isList() && kind == formScalar:
		return w.scalar(path, v, s)
	}
	w.wrongType(path, v, s, kind)
	return w.repair(path, s)
}

// structure compares a struct.
func (w *walker) structure(path []any, v cue.Value, s *shape) (any, bool) {
	n := s.notYet
	whole := n != nil && n.field == ""
	if whole {
		w.quiet++
	}
	written := fieldsOf(v)
	out := w.fields(path, written, s)
	if whole {
		w.quiet--
	}
	if n == nil || w.quiet > 0 {
		return out, true
	}
	switch {
	case !whole:
		if out[n.field] == n.value {
			w.notYet(source.Join(path, n.field), syntax.Quote(n.value), s, s.child(n.field).supported([]string{n.value}))
			delete(out, n.field)
		}
	case n.present || len(written) > 0:
		w.notYet(path, "", s, nil)
		return nil, false
	}
	return out, true
}

// fields compares the fields of a struct.
func (w *walker) fields(path []any, written []child, s *shape) map[string]any {
	out := make(map[string]any, len(written))
	set := s.set()
	present := make(map[string]bool, len(written))
	var unknown []string
	for _, c := range written {
		at := source.Join(path, c.name)
		cs := s.child(c.name)
		if cs != nil && cs == set.pattern && !writesOneOf(c.value, set.oneOf) && !meansOneOf(c, set) {
			cs = nil
		}
		switch {
		case cs != nil && cs == set.pattern && w.unwritable(at, c.name):
			w.spec.Taint(path)
		case cs != nil:
			present[c.name] = true
			data, keep := w.value(at, c.value, cs)
			// What is left of an entry without a field that it must have would be unknown.
			if m, ok := data.(map[string]any); ok && cs == set.pattern && !hasOneOf(m, set.oneOf) {
				w.spec.Taint(at)
				keep = false
			}
			if keep {
				out[c.name] = data
			}
		case set.open && !misspells(c.name, set, written):
			if w.unwritable(at, c.name) {
				w.spec.Taint(path)
			} else if data, keep := w.free(at, c.value); keep {
				out[c.name] = data
			}
		default:
			unknown = append(unknown, c.name)
		}
	}
	// A misspelt field stands for the one that was meant, so that it is not
	// reported as missing too.
	meant := map[string]bool{}
	for _, name := range unknown {
		for _, m := range w.unknown(path, name, s, present) {
			if !present[m] {
				meant[m] = true
				w.spec.Taint(source.Join(path, m))
			}
		}
	}
	for _, name := range set.order {
		cs := set.byName[name]
		if !cs.required || present[name] {
			continue
		}
		at := source.Join(path, name)
		if !meant[name] && !w.Lenient {
			w.missing(path, name, cs)
		}
		w.spec.Taint(at)
		out[name] = w.fill(cs)
	}
	return out
}

// list compares a list.
func (w *walker) list(path []any, v cue.Value, s *shape) (any, bool) {
	elements := elementsOf(v)
	unsupported := s.notYet != nil && w.quiet == 0 && len(elements) > 0
	if unsupported {
		w.notYet(path, "", s, nil)
		w.quiet++
		defer func() { w.quiet-- }()
	}
	out := make([]any, 0, len(elements))
	for i, e := range elements {
		data, keep := w.value(source.Join(path, i), e, s.element())
		if !keep {
			// Without the element, the others are not where the user wrote them.
			w.spec.Taint(path)
			continue
		}
		out = append(out, data)
	}
	return out, !unsupported
}

// free takes over a tree that the schema leaves open; only data may be in it.
func (w *walker) free(path []any, v cue.Value) (any, bool) {
	kind, v := classify(v)
	switch kind {
	case formError:
		w.notComputed(path, v)
		w.spec.Taint(path)
		return nil, false
	case formAbstract:
		w.notConcrete(path, v)
		w.spec.Taint(path)
		return nil, false
	case formNull:
		return nil, true
	case formStruct:
		out := map[string]any{}
		for _, c := range fieldsOf(v) {
			at := source.Join(path, c.name)
			if w.unwritable(at, c.name) {
				w.spec.Taint(path)
				continue
			}
			if data, keep := w.free(at, c.value); keep {
				out[c.name] = data
			}
		}
		return out, true
	case formList:
		out := []any{}
		for i, e := range elementsOf(v) {
			data, keep := w.free(source.Join(path, i), e)
			if !keep {
				w.spec.Taint(path)
				continue
			}
			out = append(out, data)
		}
		return out, true
	}
	data, err := plainScalar(v)
	if err != nil {
		w.add(path, outOfBounds, "%s: %v", source.FieldText(path), err)
		w.spec.Taint(path)
		return nil, false
	}
	// A carriage return may be wanted in a text that is passed on.
	if text, ok := data.(string); ok && w.forbidden(path, strings.ReplaceAll(text, "\r", "")) {
		w.spec.Taint(path)
		return nil, false
	}
	return data, true
}

// writesOneOf tells whether a struct has one of the fields; of none, all do.
func writesOneOf(v cue.Value, names []string) bool {
	if len(names) == 0 {
		return true
	}
	return slices.ContainsFunc(fieldsOf(v), func(c child) bool { return slices.Contains(names, c.name) })
}

// hasOneOf tells whether one of the fields is left; of none, all do.
func hasOneOf(m map[string]any, names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return m[name] != nil })
}

// meansOneOf tells whether a struct whose own name is no misspelt one misspells one of
// the fields that it must have.
func meansOneOf(c child, set *fieldSet) bool {
	return len(typo.Nearest(c.name, set.order)) == 0 &&
		slices.ContainsFunc(fieldsOf(c.value), func(f child) bool { return len(typo.Nearest(f.name, set.oneOf)) > 0 })
}

// misspells tells whether a name in a struct that holds anything stands for a field
// that the schema names and that is not there.
func misspells(name string, set *fieldSet, written []child) bool {
	return slices.ContainsFunc(typo.Nearest(name, set.order), func(meant string) bool {
		return !slices.ContainsFunc(written, func(c child) bool { return c.name == meant })
	})
}
