package schema

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// addCUE records what a CUE file (or a JSON value as CUE syntax) writes. Fields
// made by comprehensions, patterns or references are not in the syntax; for them
// the evaluated value knows its place.
func (x *index) addCUE(src *source, decls []ast.Decl, broken map[*ast.Field]bool) {
	b := cueIndexer{src: src, broken: broken}
	b.decls(x, decls)
}

type cueIndexer struct {
	src    *source
	broken map[*ast.Field]bool
}

func (b cueIndexer) decls(x *index, decls []ast.Decl) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			b.field(x, d)
		case *ast.EmbedDecl:
			b.expr(x, d.Expr)
		}
	}
}

func (b cueIndexer) field(x *index, f *ast.Field) {
	name, ok := fieldName(f.Label)
	if !ok {
		return
	}
	entry := x.field(name)
	start, end := extent(f.Label)
	if d := b.src.data; start > 0 && end < len(d) && d[start-1] == '"' && d[start] != '"' && d[end] == '"' {
		// JSON's labels come without their quotes.
		start, end = start-1, end+1
	}
	p := place{src: b.src, start: start, end: end, broken: b.broken[f]}
	if f.Value != nil {
		p.valueStart, p.valueEnd = extent(f.Value)
		if p.valueEnd > len(b.src.data) || p.valueStart > p.valueEnd || p.valueStart < 0 {
			p.valueStart, p.valueEnd = 0, 0
		}
	}
	entry.places = append(entry.places, p)
	b.expr(entry, f.Value)
}

// expr descends into everything whose fields become fields of x.
func (b cueIndexer) expr(x *index, e ast.Expr) {
	switch e := e.(type) {
	case *ast.StructLit:
		b.decls(x, e.Elts)
	case *ast.ParenExpr:
		b.expr(x, e.X)
	case *ast.Alias:
		b.expr(x, e.Expr)
	case *ast.UnaryExpr:
		if e.Op == token.MUL {
			b.expr(x, e.X)
		}
	case *ast.BinaryExpr:
		if e.Op == token.AND || e.Op == token.OR {
			b.expr(x, e.X)
			b.expr(x, e.Y)
		}
	case *ast.ListLit:
		for i, item := range e.Elts {
			switch item.(type) {
			case *ast.Ellipsis, *ast.Comprehension:
				return
			}
			entry := x.item(i)
			start, end := extent(item)
			entry.places = append(entry.places, place{src: b.src, start: start, end: end, valueStart: start, valueEnd: end})
			b.expr(entry, item)
		}
	}
}

// fieldName is the name of a regular field; patterns, dynamic labels, hidden
// fields and definitions have none.
func fieldName(label ast.Label) (string, bool) {
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

func extent(n ast.Node) (start, end int) {
	p, e := n.Pos(), n.End()
	if !p.IsValid() || !e.IsValid() {
		return 0, 0
	}
	return p.Offset(), e.Offset()
}
