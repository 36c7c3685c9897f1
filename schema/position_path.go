package schema

import (
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// PathString renders a path of labels (string) and list positions (int) in CUE's
// own form, such as tenants."team-a".quota or waivers[0].at.
func PathString(path []any) string {
	var b strings.Builder
	for _, e := range path {
		if i, ok := asIndex(e); ok {
			b.WriteString("[" + strconv.Itoa(i) + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(labelString(fmt.Sprint(e)))
	}
	return b.String()
}

func labelString(name string) string {
	if token.Lookup(name).IsKeyword() {
		return quote(name)
	}
	return cue.Str(name).String()
}

// quote writes a string as CUE does.
func quote(s string) string { return literal.String.Quote(s) }

// cuePath turns a path into CUE's type.
func cuePath(path []any) cue.Path {
	selectors := make([]cue.Selector, 0, len(path))
	for _, e := range path {
		if i, ok := asIndex(e); ok {
			selectors = append(selectors, cue.Index(max(i, 0)))
		} else {
			selectors = append(selectors, cue.Str(fmt.Sprint(e)))
		}
	}
	return cue.MakePath(selectors...)
}

// elements turns a path of CUE's into labels and list positions.
func elements(p cue.Path) []any {
	var out []any
	for _, sel := range p.Selectors() {
		switch sel.LabelType() {
		case cue.IndexLabel:
			out = append(out, sel.Index())
		case cue.StringLabel:
			out = append(out, sel.Unquoted())
		default:
			out = append(out, sel.String())
		}
	}
	return out
}

// join returns path with one more element, never sharing memory with another.
func join(path []any, e any) []any {
	out := make([]any, len(path)+1)
	copy(out, path)
	out[len(path)] = e
	return out
}

// exprText writes a schema expression in one line.
func exprText(x ast.Expr) string {
	b, err := format.Node(x)
	if err != nil {
		return ""
	}
	return clip(string(b))
}
