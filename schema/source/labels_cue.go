package source

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/syntax"
)

// addCUE records what a CUE file (or a JSON value as CUE syntax) writes. Fields
// made by comprehensions, patterns or references are not in the syntax; for them
// the evaluated value knows its place.
func (x *labelTree) addCUE(src *File, decls []ast.Decl, broken map[*ast.Field]bool) {
	b := cueIndexer{src: src, broken: broken}
	b.decls(x, decls)
}

type cueIndexer struct {
	src    *File
	broken map[*ast.Field]bool
}

func (b cueIndexer) decls(x *labelTree, decls []ast.Decl) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			b.field(x, d)
		case *ast.EmbedDecl:
			b.expr(x, d.Expr)
		}
	}
}

func (b cueIndexer) field(x *labelTree, f *ast.Field) {
	name, ok := syntax.FieldName(f.Label)
	if !ok {
		return
	}
	entry := x.field(name)
	start, end := syntax.Extent(f.Label)
	if d := b.src.Data; start > 0 && end < len(d) && d[start-1] == '"' && d[start] != '"' && d[end] == '"' {
		// JSON's labels come without their quotes.
		start, end = start-1, end+1
	}
	p := Label{file: b.src, start: start, end: end, Broken: b.broken[f]}
	if f.Value != nil {
		p.valueStart, p.valueEnd = syntax.Extent(f.Value)
		if p.valueEnd > len(b.src.Data) || p.valueStart > p.valueEnd || p.valueStart < 0 {
			p.valueStart, p.valueEnd = 0, 0
		}
	}
	entry.labels = append(entry.labels, p)
	b.expr(entry, f.Value)
}

// expr descends into everything whose fields become fields of x.
func (b cueIndexer) expr(x *labelTree, e ast.Expr) {
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
			start, end := syntax.Extent(item)
			entry.labels = append(entry.labels, Label{file: b.src, start: start, end: end, valueStart: start, valueEnd: end})
			b.expr(entry, item)
		}
	}
}
