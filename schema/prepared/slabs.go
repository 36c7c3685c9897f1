package prepared

import (
	"reflect"

	"cuelang.org/go/cue/ast"
)

// slabs hold the most frequent nodes of a reader: to allocate them one by one would
// take most of its time.
type slabs struct {
	idents         slab[ast.Ident]
	literals       slab[ast.BasicLit]
	labelled       slab[ast.Field]
	selectors      slab[ast.SelectorExpr]
	structs        slab[ast.StructLit]
	binaries       slab[ast.BinaryExpr]
	lists          slab[ast.ListLit]
	conditions     slab[ast.IfClause]
	comprehensions slab[ast.Comprehension]
	indexes        slab[ast.IndexExpr]
	loops          slab[ast.ForClause]
	calls          slab[ast.CallExpr]
	embedded       slab[ast.EmbedDecl]
}

type slab[N any] struct{ free []N }

func (s *slab[N]) take() *N {
	if len(s.free) == 0 {
		const at = 128
		s.free = make([]N, at)
	}
	n := &s.free[0]
	s.free = s.free[1:]
	return n
}

// make makes an empty node of a kind; nil if there is no such kind.
func (s *slabs) make(kind int) ast.Node {
	if kind <= 0 || kind >= len(kinds) {
		return nil
	}
	switch kinds[kind].(type) {
	case *ast.Ident:
		return s.idents.take()
	case *ast.BasicLit:
		return s.literals.take()
	case *ast.Field:
		return s.labelled.take()
	case *ast.SelectorExpr:
		return s.selectors.take()
	case *ast.StructLit:
		return s.structs.take()
	case *ast.BinaryExpr:
		return s.binaries.take()
	case *ast.ListLit:
		return s.lists.take()
	case *ast.IfClause:
		return s.conditions.take()
	case *ast.Comprehension:
		return s.comprehensions.take()
	case *ast.IndexExpr:
		return s.indexes.take()
	case *ast.ForClause:
		return s.loops.take()
	case *ast.CallExpr:
		return s.calls.take()
	case *ast.EmbedDecl:
		return s.embedded.take()
	}
	return reflect.New(reflect.TypeOf(kinds[kind]).Elem()).Interface().(ast.Node)
}
