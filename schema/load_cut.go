package schema

import (
	"regexp"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/diag"
)

// compileError makes a finding of what CUE says while it compiles.
func (c *cueLoad) compileError(err cueerrors.Error) diag.Finding {
	at := c.sources.start()
	for _, pos := range append(cueerrors.Positions(err), err.InputPositions()...) {
		src, file := c.sources.file(pos)
		if file == nil {
			continue
		}
		at = src.position(pos.Offset(), pos.Offset()+1)
		ast.Walk(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Pos().Offset() == pos.Offset() {
				at = src.position(extent(id))
			}
			return true
		}, nil)
		break
	}
	return findingf(idEvaluation, at, "%s", clip(placePrefix.ReplaceAllString(c.plainError(err), "")))
}

// placePrefix is the position that some of CUE's messages begin with.
var placePrefix = regexp.MustCompile(`^[^ ]*\.cue:[0-9]+:[0-9]+: `)

// cutBroken takes the expression out that an error of the compiler points at,
// and reports whether there was one.
func (c *cueLoad) cutBroken(err cueerrors.Error) bool {
	cut := false
	for _, pos := range append(cueerrors.Positions(err), err.InputPositions()...) {
		src, file := c.sources.file(pos)
		if file == nil || !c.spec[src.path] {
			continue
		}
		for spec := range file.ImportSpecs() {
			if start, end := extent(spec); start <= pos.Offset() && pos.Offset() < end {
				dropImport(file, spec)
				return true
			}
		}
		cut = c.cutAt(file, pos) || cut
		break
	}
	return cut
}

// cutAt empties the innermost declaration around pos.
func (c *cueLoad) cutAt(file *ast.File, pos token.Pos) bool {
	var innermost ast.Node
	ast.Walk(file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Field, *ast.LetClause, *ast.EmbedDecl, *ast.Comprehension:
			if start, end := extent(n); start <= pos.Offset() && pos.Offset() < end {
				innermost = n
			}
		}
		return true
	}, nil)
	top := &ast.Ident{NamePos: pos, Name: "_"}
	switch n := innermost.(type) {
	case *ast.Field:
		if c.broken[n] {
			return false
		}
		c.broken[n] = true
		if start, end := extent(n.Label); start <= pos.Offset() && pos.Offset() < end {
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
func cutSchema(f *ast.File) bool {
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
	before := identifiers(f)
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
	dropImports(f, before)
	return cut
}

// dropImport removes one import.
func dropImport(f *ast.File, spec *ast.ImportSpec) {
	for _, d := range f.Decls {
		if i, ok := d.(*ast.ImportDecl); ok {
			kept := i.Specs[:0:0]
			for _, s := range i.Specs {
				if s != spec {
					kept = append(kept, s)
				}
			}
			i.Specs = kept
		}
	}
	dropEmptyImports(f)
}

// dropImports removes imports that were used before and are not any more; CUE
// complains about unused ones.
func dropImports(f *ast.File, before map[string]bool) {
	after := identifiers(f)
	for _, d := range f.Decls {
		i, ok := d.(*ast.ImportDecl)
		if !ok {
			continue
		}
		kept := i.Specs[:0:0]
		for _, s := range i.Specs {
			info, err := astutil.ParseImportSpec(s)
			if err != nil || !before[info.Ident] || after[info.Ident] {
				kept = append(kept, s)
			}
		}
		i.Specs = kept
	}
	dropEmptyImports(f)
}

func dropEmptyImports(f *ast.File) {
	decls := f.Decls[:0:0]
	for _, d := range f.Decls {
		if i, ok := d.(*ast.ImportDecl); ok && len(i.Specs) == 0 {
			continue
		}
		decls = append(decls, d)
	}
	f.Decls = decls
}

// identifiers are the names that a file uses outside of its imports.
func identifiers(f *ast.File) map[string]bool {
	out := map[string]bool{}
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportDecl:
			return false
		case *ast.Ident:
			out[n.Name] = true
		}
		return true
	}, nil)
	return out
}
