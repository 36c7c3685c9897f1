package schema

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
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
	// lenient leaves out what may only follow from an expression that was cut out
	// because it does not compile.
	lenient bool
	// embedded says that the user's value holds gpugen's schema.
	embedded bool
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
		return formAbstract, v
	}
	return formScalar, v
}

// classifyError tells a value that is wrong itself from one that merely holds a
// wrong value.
func classifyError(v cue.Value) form {
	for _, err := range errors.Errors(v.Err()) {
		if slices.Equal(err.Path(), labels(v.Path())) {
			return formError
		}
	}
	iter, err := v.Fields(cue.All())
	if err != nil {
		return formError
	}
	kind := formError
	for iter.Next() {
		sel := iter.Selector()
		switch {
		case sel.LabelType() == cue.IndexLabel:
			kind = formList
		case sel.LabelType() == cue.StringLabel && sel.ConstraintType() == 0:
			kind = formStruct
		default:
			continue
		}
		if iter.Value().Err() != nil {
			return kind
		}
	}
	return formError
}

// labels are the elements of a path as CUE's errors write them.
func labels(p cue.Path) []string {
	var out []string
	for _, sel := range p.Selectors() {
		if sel.LabelType() == cue.IndexLabel {
			out = append(out, strconv.Itoa(sel.Index()))
		} else {
			out = append(out, sel.String())
		}
	}
	return out
}

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
		own, ok := w.own(v)
		if !ok || !w.embedded {
			w.evaluation(path, v)
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

// own returns the literal that the user wrote where gpugen's schema, which the
// user embeds, refuses it.
func (w *walker) own(v cue.Value) (cue.Value, bool) {
	var found []ast.Expr
	schema := false
	for _, err := range errors.Errors(v.Err()) {
		for _, pos := range append(errors.Positions(err), err.InputPositions()...) {
			_, file := w.spec.sources.file(pos)
			if file == nil {
				schema = schema || strings.HasPrefix(pos.Filename(), "schema/")
				continue
			}
			ast.Walk(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Pos() == pos && !slices.Contains(found, ast.Expr(lit)) {
					found = append(found, lit)
				}
				return true
			}, nil)
		}
	}
	if len(found) != 1 || !schema {
		return cue.Value{}, false
	}
	return w.engine.ctx.BuildExpr(found[0]), true
}

// prune drops what the user did not write from data, where gpugen's schema that
// the user embeds brought its defaults along.
func (w *walker) prune(path []any, data map[string]any) {
	for name, value := range data {
		at := join(path, name)
		inner, isStruct := value.(map[string]any)
		if isStruct {
			w.prune(at, inner)
		}
		if (!isStruct || len(inner) == 0) && !w.spec.Wrote(at) && !w.spec.Tainted(at) {
			delete(data, name)
		}
	}
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
		for _, m := range w.unknown(path, name, s, present) {
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
		if !meant[name] && !w.lenient {
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
