package source

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/syntax"
)

// Cut takes the expression out that an error of the compiler points at, and reports whether there was one.
func (p *Package) Cut(err errors.Error) bool {
	cut := false
	for _, pos := range append(errors.Positions(err), err.InputPositions()...) {
		src, file := p.files.Find(pos)
		if file == nil || !p.spec[src.path] {
			continue
		}
		for spec := range file.ImportSpecs() {
			if start, end := syntax.Extent(spec); start <= pos.Offset() && pos.Offset() < end {
				syntax.DropImport(file, spec)
				return true
			}
		}
		cut = p.cutAt(file, pos) || cut
		break
	}
	return cut
}

// cutAt empties the innermost declaration around pos.
func (p *Package) cutAt(file *ast.File, pos token.Pos) bool {
	var innermost ast.Node
	ast.Walk(file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Field, *ast.LetClause, *ast.EmbedDecl, *ast.Comprehension:
			if start, end := syntax.Extent(n); start <= pos.Offset() && pos.Offset() < end {
				innermost = n
			}
		}
		return true
	}, nil)
	top := &ast.Ident{NamePos: pos, Name: "_"}
	switch n := innermost.(type) {
	case *ast.Field:
		if p.broken[n] {
			return false
		}
		p.broken[n] = true
		if start, end := syntax.Extent(n.Label); start <= pos.Offset() && pos.Offset() < end {
			n.Label = ast.NewIdent("_gpugen_cut")
		}
		n.Value = top
		n.Attrs = nil
		return true
	case *ast.LetClause:
		if n.Expr == top {
			return false
		}
		n.Expr = top
		return true
	case *ast.EmbedDecl:
		n.Expr = &ast.StructLit{Lbrace: pos, Rbrace: pos}
		return true
	case *ast.Comprehension:
		n.Clauses = []ast.Clause{&ast.IfClause{If: pos, Condition: ast.NewBool(false)}}
		n.Value = &ast.StructLit{Lbrace: pos, Rbrace: pos}
		return true
	}
	return false
}

// cutSchema replaces uses of gpugen's own schema (spec.#Spec and the like) by _:
// the walk applies the schema anyway, and says more. It reports whether there
// were any.
func cutSchema(f *ast.File, specPackage string) bool {
	names := map[string]bool{}
	for spec := range f.ImportSpecs() {
		info, err := astutil.ParseImportSpec(spec)
		if path, _, _ := strings.Cut(ast.ParseImportPath(info.ID).Path, "@"); err == nil && path == specPackage {
			names[info.Ident] = true
		}
	}
	if len(names) == 0 {
		return false
	}
	before := syntax.Identifiers(f.Decls)
	cut := false
	astutil.Apply(f, func(c astutil.Cursor) bool {
		sel, ok := c.Node().(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok || !names[x.Name] {
			return true
		}
		if p := c.Parent(); p != nil {
			switch p.Node().(type) {
			case *ast.SelectorExpr, *ast.IndexExpr, *ast.CallExpr:
				return true
			}
		}
		c.Replace(&ast.Ident{NamePos: sel.Pos(), Name: "_"})
		cut = true
		return false
	}, nil)
	syntax.DropUnusedImports(f, before)
	return cut
}

// removeField drops the fields of a name at the top level, also inside embedded
// struct literals, and returns whether there were any.
func removeField(file *ast.File, name string) bool {
	n := len(file.Decls)
	var inner bool
	file.Decls, inner = withoutField(file.Decls, name)
	return inner || len(file.Decls) != n
}

func withoutField(decls []ast.Decl, name string) ([]ast.Decl, bool) {
	kept := make([]ast.Decl, 0, len(decls))
	removed := false
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			if n, ok := syntax.FieldName(d.Label); ok && n == name {
				removed = true
				continue
			}
		case *ast.EmbedDecl:
			if lit, ok := d.Expr.(*ast.StructLit); ok {
				var inner bool
				lit.Elts, inner = withoutField(lit.Elts, name)
				removed = removed || inner
			}
		}
		kept = append(kept, d)
	}
	return kept, removed
}
