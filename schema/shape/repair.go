package shape

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"

	"github.com/gpugen/gpugen/schema/source"
)

// repair marks a place as no longer the user's and returns what stands in for
// it: nothing where the schema has a default or does not need the field.
func (w *walker) repair(path []any, s *shape) (any, bool) {
	w.spec.Taint(path)
	if s.required || s.example != nil {
		return w.fill(s), true
	}
	return nil, false
}

// fill makes the stand-in for a required field.
func (w *walker) fill(s *shape) any {
	if s.example != nil {
		if data, keep := (&walker{schema: w.schema, spec: &source.Spec{}}).free(nil, w.schema.engine.Ctx.BuildExpr(s.example)); keep {
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

// own returns the literal that the user wrote where gpugen's schema, which the
// user embeds, refuses it.
func (w *walker) own(v cue.Value) (cue.Value, bool) {
	var found []ast.Expr
	schema := false
	for _, err := range errors.Errors(v.Err()) {
		for _, pos := range append(errors.Positions(err), err.InputPositions()...) {
			_, file := w.spec.Files().Find(pos)
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
	return w.schema.engine.Ctx.BuildExpr(found[0]), true
}

// prune drops what the user did not write from data, where gpugen's schema that
// the user embeds brought its defaults along.
func (w *walker) prune(path []any, data map[string]any) {
	for name, value := range data {
		at := source.Join(path, name)
		inner, isStruct := value.(map[string]any)
		if isStruct {
			w.prune(at, inner)
		}
		if (!isStruct || len(inner) == 0) && !w.spec.Wrote(at) && !w.spec.Tainted(at) {
			delete(data, name)
		}
	}
}
