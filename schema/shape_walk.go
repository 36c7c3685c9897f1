package schema

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"github.com/gpugen/gpugen/schema/diag"
)

// walker compares what a user wrote with the schema, side by side. CUE's own
// unification reports some faults only after others are mended; the walk finds
// all at once, each once, and repairs what it finds so that the rules can run.
type walker struct {
	engine *engine
	spec   *Spec
	found  diag.List
	// quiet is positive inside something that is not supported as a whole.
	quiet int
}

// form is what kind of value the user wrote.
type form int

const (
	formScalar form = iota
	formStruct
	formList
	formNull
	formError
	formAbstract
)

// classify looks at a user's value; defaults are resolved.
func classify(v cue.Value) (form, cue.Value) {
	if d, ok := v.Default(); ok {
		v = d
	}
	switch v.IncompleteKind() {
	case cue.StructKind:
		if v.Kind() != cue.StructKind && v.Err() == nil {
			return formAbstract, v
		}
		return formStruct, v
	case cue.ListKind:
		return formList, v
	case cue.NullKind:
		return formNull, v
	case cue.BottomKind:
		return classifyError(v), v
	}
	if v.Kind() == cue.BottomKind {
		if err := v.Err(); err != nil && !abstract(err) {
			return formError, v
		}
		return formAbstract, v
	}
	return formScalar, v
}

// classifyError tells a value that is wrong itself from one that merely holds a
// wrong value.
func classifyError(v cue.Value) form {
	own := len(v.Path().Selectors())
	for _, err := range errors.Errors(v.Err()) {
		if len(err.Path()) <= own {
			return formError
		}
	}
	iter, err := v.Fields(cue.All())
	if err != nil || !iter.Next() {
		return formError
	}
	if iter.Selector().LabelType() == cue.IndexLabel {
		return formList
	}
	return formStruct
}

func abstract(err error) bool {
	return errors.Is(err, errAbstract)
}

var errAbstract = errors.New("not concrete")

// child is one field or element of a user's value.
type child struct {
	name  string
	value cue.Value
}

// fieldsOf returns the regular fields of a user's struct, also below an error.
func fieldsOf(v cue.Value) []child {
	iter, err := v.Fields()
	all := err != nil
	if all {
		if iter, err = v.Fields(cue.All()); err != nil {
			return nil
		}
	}
	var out []child
	for iter.Next() {
		sel := iter.Selector()
		if sel.LabelType() != cue.StringLabel || sel.ConstraintType() != 0 {
			continue
		}
		out = append(out, child{sel.Unquoted(), iter.Value()})
	}
	return out
}

func elementsOf(v cue.Value) []cue.Value {
	var out []cue.Value
	if iter, err := v.List(); err == nil {
		for iter.Next() {
			out = append(out, iter.Value())
		}
		return out
	}
	iter, err := v.Fields(cue.All())
	if err != nil {
		return nil
	}
	for iter.Next() {
		if iter.Selector().LabelType() == cue.IndexLabel {
			out = append(out, iter.Value())
		}
	}
	return out
}

// value compares one value. It returns the data to go on with, and false where
// the field is best left to the schema.
func (w *walker) value(path []any, v cue.Value, s *shape) (any, bool) {
	kind, v := classify(v)
	switch kind {
	case formError:
		w.evaluation(path, v)
		return w.repair(path, s)
	case formAbstract:
		w.notConcrete(path, v)
		return w.repair(path, s)
	case formNull:
		if s.kind&cue.NullKind != 0 {
			return nil, true
		}
		w.add(path, idNull, "%s has no value; want %s", fieldText(path), w.wanted(s))
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
			w.notYet(join(path, n.field), quote(n.value))
			delete(out, n.field)
		}
	case n.present || len(written) > 0:
		w.notYet(path, "")
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
		at := join(path, c.name)
		cs := s.child(c.name)
		switch {
		case cs != nil:
			present[c.name] = true
			if data, keep := w.value(at, c.value, cs); keep {
				out[c.name] = data
			}
		case set.open:
			if data, keep := w.free(at, c.value); keep {
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
		for _, m := range w.unknown(path, name, s) {
			if !present[m] {
				meant[m] = true
				w.spec.taint(join(path, m))
			}
		}
	}
	for _, name := range set.order {
		cs := set.byName[name]
		if !cs.required || present[name] {
			continue
		}
		at := join(path, name)
		if !meant[name] {
			w.missing(path, name, cs)
		}
		w.spec.taint(at)
		out[name] = w.fill(cs)
	}
	return out
}

// list compares a list.
func (w *walker) list(path []any, v cue.Value, s *shape) (any, bool) {
	elements := elementsOf(v)
	unsupported := s.notYet != nil && w.quiet == 0 && len(elements) > 0
	if unsupported {
		w.notYet(path, "")
		w.quiet++
		defer func() { w.quiet-- }()
	}
	out := make([]any, 0, len(elements))
	for i, e := range elements {
		// A bad element without a stand-in is dropped; the list is tainted.
		if data, keep := w.value(join(path, i), e, s.element()); keep {
			out = append(out, data)
		}
	}
	return out, !unsupported
}

// free takes over a tree that the schema leaves open; only data may be in it.
func (w *walker) free(path []any, v cue.Value) (any, bool) {
	kind, v := classify(v)
	switch kind {
	case formError:
		w.evaluation(path, v)
		w.spec.taint(path)
		return nil, false
	case formAbstract:
		w.notConcrete(path, v)
		w.spec.taint(path)
		return nil, false
	case formNull:
		return nil, true
	case formStruct:
		out := map[string]any{}
		for _, c := range fieldsOf(v) {
			if data, keep := w.free(join(path, c.name), c.value); keep {
				out[c.name] = data
			}
		}
		return out, true
	case formList:
		out := []any{}
		for i, e := range elementsOf(v) {
			if data, keep := w.free(join(path, i), e); keep {
				out = append(out, data)
			}
		}
		return out, true
	}
	data, err := plainScalar(v)
	if err != nil {
		w.add(path, idBounds, "%s: %v", fieldText(path), err)
		w.spec.taint(path)
		return nil, false
	}
	return data, true
}

// repair marks a place as no longer the user's and returns what stands in for
// it: nothing where the schema has a default or does not need the field.
func (w *walker) repair(path []any, s *shape) (any, bool) {
	w.spec.taint(path)
	if s.required || s.example != nil {
		return w.fill(s), true
	}
	return nil, false
}

// fill makes the stand-in for a required field.
func (w *walker) fill(s *shape) any {
	if s.example != nil {
		if data, keep := (&walker{engine: w.engine, spec: &Spec{}}).free(nil, w.engine.ctx.BuildExpr(s.example)); keep {
			return data
		}
	}
	switch {
	case s.isStruct():
		out := map[string]any{}
		set := s.set()
		for _, name := range set.order {
			if cs := set.byName[name]; cs.required {
				out[name] = w.fill(cs)
			}
		}
		return out
	case s.isList():
		return []any{}
	}
	data, _ := plainScalar(s.scalar().def)
	return data
}
