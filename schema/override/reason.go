package override

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
)

// ruleFor picks among the rules of a template's @rule: one, or one for each
// boolean that a user may force ("NET-001,NET-002": true, false).
func ruleFor(ids string, value any) string {
	list := strings.Split(ids, ",")
	if b, ok := value.(bool); ok && !b && len(list) > 1 {
		return list[1]
	}
	return list[0]
}

// decides lists the fields of the spec that a template's @spec names; where the
// user left one out, the nearest place that they wrote. A * stands for every
// entry.
func decides(s *source.Spec, wanted string) []diag.Place {
	var out []diag.Place
	for _, path := range expand(s.Data, splitPath(wanted), nil) {
		place := diag.Place{Position: s.Locate(path), Path: source.PathString(path)}
		if !s.Wrote(path) {
			place.Note = "(by default)"
		}
		out = append(out, place)
	}
	return out
}

// splitPath reads a path of @spec: CUE labels, with * for any.
func splitPath(path string) []string {
	var out []string
	for _, sel := range cue.ParsePath(strings.ReplaceAll(path, "*", `"*"`)).Selectors() {
		out = append(out, sel.Unquoted())
	}
	return out
}

func expand(v any, pattern []string, at []any) [][]any {
	if len(pattern) == 0 {
		return [][]any{slices.Clone(at)}
	}
	m, _ := v.(map[string]any)
	keys := []string{pattern[0]}
	if pattern[0] == "*" {
		keys = slices.Sorted(maps.Keys(m))
	}
	var out [][]any
	for _, key := range keys {
		out = append(out, expand(m[key], pattern[1:], append(slices.Clone(at), key))...)
	}
	return out
}

// attribute reads an attribute of a template's field, or of the nearest field
// above that has it.
func attribute(v cue.Value, name string) string {
	for _, a := range v.Attributes(cue.FieldAttr) {
		if a.Name() != name {
			continue
		}
		contents := a.Contents()
		if s, err := unquote(contents); err == nil {
			return s
		}
		return contents
	}
	return ""
}

func unquote(s string) (string, error) {
	expr, err := parser.ParseExpr("", s)
	if err != nil {
		return "", err
	}
	lit, ok := expr.(*ast.BasicLit)
	if !ok {
		return "", fmt.Errorf("no string: %s", s)
	}
	return strings.Trim(lit.Value, `"`), nil
}

// docOf is the comment on the template's field: the reason. Comments are not
// kept while everything is well, so the one file is parsed again.
func docOf(v cue.Value) string {
	pos := v.Pos()
	for _, src := range knowledge.Sources() {
		if src.Path != pos.Filename() {
			continue
		}
		f, err := parser.ParseFile(src.Path, src.Data, parser.ParseComments)
		if err != nil {
			return ""
		}
		return commentAbove(f, pos.Line())
	}
	return ""
}

// commentAbove is the comment of the field on a line, or of the field around it
// that begins just above: the comment stands over "driver: {" where only
// "enabled" has a value.
func commentAbove(f *ast.File, line int) string {
	const above = 2
	out := ""
	ast.Walk(f, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok || field.Pos().Line() > line || field.Pos().Line() < line-above || field.End().Line() < line {
			return true
		}
		for _, group := range ast.Comments(field) {
			if group.Doc {
				out = strings.Join(strings.Fields(group.Text()), " ")
			}
		}
		return true
	}, nil)
	return out
}
