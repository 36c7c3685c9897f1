package syntax

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
)

// Identifiers are the names that declarations use, those of imports left out.
func Identifiers(decls []ast.Decl) map[string]bool {
	out := map[string]bool{}
	for _, decl := range decls {
		ast.Walk(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportDecl:
				return false
			case *ast.Ident:
				out[n.Name] = true
			}
			return true
		}, nil)
	}
	return out
}

// UsedImports are the imports whose name is among the identifiers.
func UsedImports(specs []*ast.ImportSpec, identifiers map[string]bool) []*ast.ImportSpec {
	return slices.DeleteFunc(slices.Clone(specs), func(spec *ast.ImportSpec) bool {
		info, err := astutil.ParseImportSpec(spec)
		return err == nil && !identifiers[info.Ident]
	})
}

// DropUnusedImports removes imports that something used which was taken out of
// the file since; CUE takes unused ones for mistakes. before are the identifiers
// that the file had: an import which was not among them stays, as the mistake of
// whoever wrote it. Without before, every unused import goes.
func DropUnusedImports(f *ast.File, before map[string]bool) {
	after := Identifiers(f.Decls)
	keepImports(f, func(spec *ast.ImportSpec) bool {
		info, err := astutil.ParseImportSpec(spec)
		return err != nil || after[info.Ident] || before != nil && !before[info.Ident]
	})
}

// DropImport removes one import.
func DropImport(f *ast.File, spec *ast.ImportSpec) {
	keepImports(f, func(s *ast.ImportSpec) bool { return s != spec })
}

// keepImports removes the other imports, and the declarations that this empties.
func keepImports(f *ast.File, keep func(*ast.ImportSpec) bool) {
	decls := f.Decls[:0:0]
	for _, decl := range f.Decls {
		imports, ok := decl.(*ast.ImportDecl)
		if !ok {
			decls = append(decls, decl)
			continue
		}
		kept := imports.Specs[:0:0]
		for _, spec := range imports.Specs {
			if keep(spec) {
				kept = append(kept, spec)
			}
		}
		if imports.Specs = kept; len(kept) > 0 {
			decls = append(decls, imports)
		}
	}
	f.Decls = decls
}
