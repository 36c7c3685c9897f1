package knowledge

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"github.com/gpugen/gpugen/schema/syntax"
)

// Explanation is what a rule says to people. It decides nothing, so it is cut
// out of the syntax before the knowledge base is compiled: evaluating it for
// every spec would cost as much as the rules themselves.
type Explanation struct {
	Title, Why, Fix, Source string

	bad, good, fixed ast.Expr
	// imports of the rule's file.
	imports []*ast.ImportSpec
}

// texts are the fields of an explanation that are plain strings.
func (x *Explanation) texts() map[string]*string {
	return map[string]*string{"title": &x.Title, "why": &x.Why, "fix": &x.Fix, "source": &x.Source}
}

// Explain returns the explanation of a rule: what was cut, and the rest from the
// rule itself. A site's rule has all of it there.
func (e *Engine) Explain(id string, rule cue.Value) Explanation {
	x := e.Base.explanations()[id]
	for field, into := range x.texts() {
		if *into == "" {
			*into = text(rule, field)
		}
	}
	return x
}

// HasRule tells whether an ID is one of gpugen's rules.
func (e *Engine) HasRule(id string) bool {
	_, ok := e.Base.explanations()[id]
	return ok
}

// cutExplanations removes what explains rules from a file of package rules, and
// keeps it by rule.
func cutExplanations(f *ast.File, into map[string]Explanation) {
	for _, decl := range f.Decls {
		rules, ok := decl.(*ast.Field)
		if !ok || syntax.LabelOf(decl) != "rules" {
			continue
		}
		lit, ok := rules.Value.(*ast.StructLit)
		if !ok {
			continue
		}
		for _, elt := range lit.Elts {
			rule, ok := elt.(*ast.Field)
			if !ok {
				continue
			}
			id, _, err := ast.LabelName(rule.Label)
			body, isStruct := rule.Value.(*ast.StructLit)
			if err != nil || !isStruct {
				continue
			}
			x := cutExplanation(body)
			x.imports = slices.Collect(f.ImportSpecs())
			into[id] = x
		}
	}
	syntax.DropUnusedImports(f, nil)
}

// data evaluates an example of a rule, which may use what its file imports.
func (x Explanation) data(e *Engine, example ast.Expr) ([]byte, error) {
	field := &ast.Field{Label: ast.NewIdent("example"), Value: example}
	f := &ast.File{}
	if used := syntax.UsedImports(x.imports, syntax.Identifiers([]ast.Decl{field})); len(used) > 0 {
		specs := make([]*ast.ImportSpec, len(used))
		for i, spec := range used {
			specs[i] = ast.NewImport(spec.Name, strings.Trim(spec.Path.Value, `"`))
		}
		f.Decls = append(f.Decls, &ast.ImportDecl{Specs: specs})
	}
	f.Decls = append(f.Decls, field)
	return e.Ctx.BuildFile(f).LookupPath(cue.ParsePath("example")).MarshalJSON()
}

func cutExplanation(body *ast.StructLit) Explanation {
	var (
		x    Explanation
		kept []ast.Decl
	)
	texts := x.texts()
	for _, decl := range body.Elts {
		field, ok := decl.(*ast.Field)
		if !ok {
			kept = append(kept, decl)
			continue
		}
		name, _, _ := ast.LabelName(field.Label)
		switch {
		case name == "bad":
			x.bad = field.Value
		case name == "good":
			x.good = field.Value
		case name == "fixed":
			x.fixed = field.Value
		case texts[name] != nil:
			s, ok := stringLiteral(field.Value)
			if !ok {
				kept = append(kept, decl)
				continue
			}
			*texts[name] = s
		default:
			kept = append(kept, decl)
		}
	}
	body.Elts = kept
	return x
}

func stringLiteral(x ast.Expr) (string, bool) {
	lit, ok := x.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	s, err := literal.Unquote(lit.Value)
	return s, err == nil
}
