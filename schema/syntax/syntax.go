// Package syntax owns what gpugen asks of CUE's syntax trees, the imports that it takes
// out of them, and their form as YAML. It must not read files, evaluate, or make findings.
package syntax

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
)

// Extent is where a node begins and ends, in bytes; zero if that is not known.
func Extent(n ast.Node) (start, end int) {
	p, e := n.Pos(), n.End()
	if !p.IsValid() || !e.IsValid() {
		return 0, 0
	}
	return p.Offset(), e.Offset()
}

// FieldName is the name of a regular field; patterns, dynamic labels, hidden
// fields and definitions have none.
func FieldName(label ast.Label) (string, bool) {
	if a, ok := label.(*ast.Alias); ok {
		l, ok := a.Expr.(ast.Label)
		if !ok {
			return "", false
		}
		label = l
	}
	switch label.(type) {
	case *ast.Ident, *ast.BasicLit:
	default:
		return "", false
	}
	name, isIdent, err := ast.LabelName(label)
	if err != nil || isIdent && (strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#")) {
		return "", false
	}
	return name, true
}

// LabelOf is the name of a field of any kind, hidden ones included, or "".
func LabelOf(decl ast.Decl) string {
	field, ok := decl.(*ast.Field)
	if !ok {
		return ""
	}
	name, _, err := ast.LabelName(field.Label)
	if err != nil {
		return ""
	}
	return name
}

// Quote writes a string as CUE does.
func Quote(s string) string { return literal.String.Quote(s) }
