package knowledge

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/syntax"
)

// cutForReaders removes what only readers and tests of a package want, which the
// package marks with @readers(): declarations that compare all entries of a field
// with a type, and in these entries the fields that are marked in any type. The
// comparison is a test's, so that it is not made again at every run. A definition that is
// marked takes any text: what compares with it in gpugen is Go.
func cutForReaders(files []*ast.File) {
	marked, compared := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		before := len(f.Decls)
		opened := false
		for _, decl := range f.Decls {
			opened = takeAnyText(decl) || opened
		}
		f.Decls = slices.DeleteFunc(f.Decls, func(decl ast.Decl) bool {
			if !comparesForReaders(decl) {
				return false
			}
			compared[syntax.LabelOf(decl)] = true
			return true
		})
		if len(f.Decls) < before || opened {
			syntax.DropUnusedImports(f, nil)
		}
		ast.Walk(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && forReaders(field) && syntax.LabelOf(field) != "" {
				marked[syntax.LabelOf(field)] = true
			}
			return true
		}, nil)
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			if !compared[syntax.LabelOf(decl)] {
				continue
			}
			ast.Walk(decl, func(n ast.Node) bool {
				if lit, ok := n.(*ast.StructLit); ok {
					lit.Elts = slices.DeleteFunc(lit.Elts, func(decl ast.Decl) bool { return marked[syntax.LabelOf(decl)] })
				}
				return true
			}, nil)
		}
	}
}

// takeAnyText opens name: alternatives | error("...") @readers() to any text, and tells
// whether a declaration was such a one.
func takeAnyText(decl ast.Decl) bool {
	field, ok := decl.(*ast.Field)
	if !ok || !forReaders(field) {
		return false
	}
	alternatives, ok := field.Value.(*ast.BinaryExpr)
	if !ok || alternatives.Op != token.OR {
		return false
	}
	anyText := ast.NewIdent("string")
	ast.SetPos(anyText, alternatives.X.Pos())
	alternatives.X = anyText
	return true
}

// comparesForReaders tells whether a declaration is name: [pattern]: type @readers().
func comparesForReaders(decl ast.Decl) bool {
	field, ok := decl.(*ast.Field)
	if !ok {
		return false
	}
	lit, ok := field.Value.(*ast.StructLit)
	if !ok || len(lit.Elts) != 1 {
		return false
	}
	inner, ok := lit.Elts[0].(*ast.Field)
	if !ok {
		return false
	}
	_, pattern := inner.Label.(*ast.ListLit)
	return pattern && forReaders(inner)
}

func forReaders(field *ast.Field) bool {
	return slices.ContainsFunc(field.Attrs, func(a *ast.Attribute) bool {
		name, _ := a.Split()
		return name == "readers"
	})
}
