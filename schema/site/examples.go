package site

import (
	"path"

	"cuelang.org/go/cue/ast"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/syntax"
)

// RulePlace is where a rule of a site is written.
type RulePlace struct {
	ID string
	// At is its name, and Fields are those of its fields that are there.
	At     diag.Position
	Fields map[string]diag.Position
}

// Rules are the places of the rules of the site that an input belongs to, by file.
func Rules(in source.Input) []RulePlace {
	files, _ := source.ReadSite(in)
	if files == nil {
		return nil
	}
	var out []RulePlace
	for _, f := range files.Files {
		if path.Dir(f.Place) != "schema/rules" || f.Syntax == nil {
			continue
		}
		for _, rule := range under(f.Syntax, "rules") {
			name, _, _ := ast.LabelName(rule.Label)
			place := RulePlace{ID: name, At: f.Position(syntax.Extent(rule.Label)), Fields: map[string]diag.Position{}}
			if body, ok := rule.Value.(*ast.StructLit); ok {
				for _, d := range body.Elts {
					if field, ok := d.(*ast.Field); ok {
						place.Fields[syntax.LabelOf(d)] = f.Position(syntax.Extent(field.Label))
					}
				}
			}
			out = append(out, place)
		}
	}
	return out
}
