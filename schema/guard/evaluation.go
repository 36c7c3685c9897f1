package guard

import (
	"encoding/json"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/syntax"
)

// value is what is known of an expression.
type value struct {
	// known says that it is data, and absent that it is known not to be there.
	known, absent bool
	data          any
	// additions are what templates may add to it.
	additions *additions
}

var (
	unknown = value{}
	absent  = value{absent: true}
)

func of(data any) value { return value{known: true, data: data} }

// is tells whether a value is known to be a boolean.
func (v value) is(b bool) bool { return v.known && v.data == b }

// scope holds the variables of a comprehension.
type scope struct {
	name  string
	value value
	outer *scope
}

// evaluation is one of guards with the data of one spec.
type evaluation struct{ roots map[string]value }

// empty tells whether a list of comprehensions is known to have no element.
func (e *evaluation) empty(list *ast.ListLit, s *scope) bool {
	for _, element := range list.Elts {
		c, ok := element.(*ast.Comprehension)
		if !ok || !e.none(c.Clauses, s) {
			return false
		}
	}
	return true
}

// none tells whether clauses are known to let nothing through.
func (e *evaluation) none(clauses []ast.Clause, s *scope) bool {
	if len(clauses) == 0 {
		return false
	}
	rest := clauses[1:]
	switch clause := clauses[0].(type) {
	case *ast.IfClause:
		return e.value(clause.Condition, s).is(false) || e.none(rest, s)
	case *ast.LetClause:
		return e.none(rest, &scope{clause.Ident.Name, e.value(clause.Expr, s), s})
	case *ast.ForClause:
		return e.noneOf(clause, rest, s)
	}
	return false
}

// noneOf tells whether what follows a loop lets nothing through for any of its elements.
func (e *evaluation) noneOf(loop *ast.ForClause, rest []ast.Clause, s *scope) bool {
	with := func(key, element value) bool {
		inner := s
		if loop.Key != nil {
			inner = &scope{loop.Key.Name, key, inner}
		}
		return e.none(rest, &scope{loop.Value.Name, element, inner})
	}
	source := e.value(loop.Source, s)
	switch data := source.data.(type) {
	case map[string]any:
		if !source.additions.keeps() {
			break
		}
		for name := range data {
			if !with(of(name), e.field(source, name)) {
				return false
			}
		}
		return true
	case []any:
		if source.additions != nil {
			break
		}
		for i, element := range data {
			if !with(of(i), of(element)) {
				return false
			}
		}
		return true
	}
	// Whatever it may be, the conditions on other things hold for each of it.
	return with(unknown, unknown)
}

func (e *evaluation) value(x ast.Expr, s *scope) value {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.value(x.X, s)
	case *ast.Ident:
		for ; s != nil; s = s.outer {
			if s.name == x.Name {
				return s.value
			}
		}
		return e.roots[x.Name]
	case *ast.BasicLit:
		return basic(x)
	case *ast.SelectorExpr:
		name, ok := syntax.FieldName(x.Sel)
		if !ok {
			return unknown
		}
		return e.field(e.value(x.X, s), name)
	case *ast.IndexExpr:
		if name, ok := e.value(x.Index, s).data.(string); ok {
			return e.field(e.value(x.X, s), name)
		}
	case *ast.UnaryExpr:
		if b, ok := e.value(x.X, s).data.(bool); ok && x.Op == token.NOT {
			return of(!b)
		}
	case *ast.BinaryExpr:
		return e.binary(x, s)
	case *ast.CallExpr:
		return e.call(x, s)
	case *ast.ListLit:
		if e.empty(x, s) {
			return of([]any{})
		}
	}
	return unknown
}

func basic(lit *ast.BasicLit) value {
	switch lit.Kind {
	case token.TRUE:
		return of(true)
	case token.FALSE:
		return of(false)
	case token.STRING:
		if text, err := literal.Unquote(lit.Value); err == nil {
			return of(text)
		}
	case token.INT:
		return of(json.Number(lit.Value))
	}
	return unknown
}

// field is a field of a value.
func (e *evaluation) field(v value, name string) value {
	if v.absent {
		return absent
	}
	fields, ok := v.data.(map[string]any)
	if !ok {
		return unknown
	}
	if data, ok := fields[name]; ok {
		return value{known: true, data: data, additions: v.additions.of(name)}
	}
	if v.additions.mayAdd(name) {
		return unknown
	}
	return absent
}

func (e *evaluation) binary(x *ast.BinaryExpr, s *scope) value {
	left := e.value(x.X, s)
	if _, ok := x.Y.(*ast.BottomLit); ok {
		switch {
		case left.absent:
			return of(x.Op == token.EQL)
		case left.known:
			return of(x.Op != token.EQL)
		}
		return unknown
	}
	switch right := e.value(x.Y, s); x.Op {
	case token.LAND:
		switch {
		case left.is(false) || right.is(false):
			return of(false)
		case left.is(true) && right.is(true):
			return of(true)
		}
	case token.LOR:
		switch {
		case left.is(true) || right.is(true):
			return of(true)
		case left.is(false) && right.is(false):
			return of(false)
		}
	case token.EQL, token.NEQ:
		if same, ok := equal(left, right); ok {
			return of(same == (x.Op == token.EQL))
		}
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		a, okA := integer(left)
		b, okB := integer(right)
		if okA && okB {
			return of(x.Op == token.LSS && a < b || x.Op == token.LEQ && a <= b ||
				x.Op == token.GTR && a > b || x.Op == token.GEQ && a >= b)
		}
	}
	return unknown
}

// equal tells whether two scalars are equal, and whether that is known.
func equal(a, b value) (same, known bool) {
	if !a.known || !b.known {
		return false, false
	}
	switch x := a.data.(type) {
	case string:
		y, ok := b.data.(string)
		return x == y, ok
	case bool:
		y, ok := b.data.(bool)
		return x == y, ok
	}
	x, okX := integer(a)
	y, okY := integer(b)
	return x == y, okX && okY
}

func integer(v value) (int64, bool) {
	switch n := v.data.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	}
	return 0, false
}

// call is len of what is known; nothing is known of other functions.
func (e *evaluation) call(x *ast.CallExpr, s *scope) value {
	if f, ok := x.Fun.(*ast.Ident); !ok || f.Name != "len" || len(x.Args) != 1 {
		return unknown
	}
	v := e.value(x.Args[0], s)
	switch data := v.data.(type) {
	case []any:
		if v.additions == nil {
			return of(len(data))
		}
	case map[string]any:
		if v.additions.keeps() {
			return of(len(data))
		}
	}
	return unknown
}
