package schema

import (
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
)

// explanation is what a rule says to people. It decides nothing, so it is cut
// out of the syntax before the knowledge base is compiled: evaluating it for
// every spec would cost as much as the rules themselves.
type explanation struct {
	title, why, fix, source string
	bad, good               ast.Expr
	// imports of the rule's file.
	imports []*ast.ImportSpec
}

// texts are the fields of an explanation that are plain strings.
func (x *explanation) texts() map[string]*string {
	return map[string]*string{"title": &x.title, "why": &x.why, "fix": &x.fix, "source": &x.source}
}

// explain returns the explanation of a rule: what was cut, and the rest from the
// rule itself. A site's rule has all of it there.
func (e *engine) explain(id string, rule cue.Value) explanation {
	x := e.explanations[id]
	for field, into := range x.texts() {
		if *into == "" {
			*into = text(rule, field)
		}
	}
	return x
}

// cutExplanations removes what explains rules from a file of package rules, and
// keeps it by rule.
func cutExplanations(f *ast.File, into map[string]explanation) {
	for _, decl := range f.Decls {
		rules := fieldNamed(decl, "rules")
		if rules == nil {
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
	dropUnusedImports(f)
}

// dropUnusedImports removes imports that only what was cut had used: CUE takes
// them for mistakes.
func dropUnusedImports(f *ast.File) {
	var decls []ast.Decl
	for _, decl := range f.Decls {
		imports, ok := decl.(*ast.ImportDecl)
		if !ok {
			decls = append(decls, decl)
			continue
		}
		if kept := usedImports(imports.Specs, f.Decls); len(kept) > 0 {
			decls = append(decls, &ast.ImportDecl{Specs: kept})
		}
	}
	f.Decls = decls
}

// usedImports are those whose name occurs in the declarations.
func usedImports(specs []*ast.ImportSpec, decls []ast.Decl) []*ast.ImportSpec {
	names := map[string]bool{}
	for _, decl := range decls {
		if _, ok := decl.(*ast.ImportDecl); ok {
			continue
		}
		ast.Walk(decl, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names[id.Name] = true
			}
			return true
		}, nil)
	}
	var out []*ast.ImportSpec
	for _, spec := range specs {
		importPath, err := literal.Unquote(spec.Path.Value)
		name := path.Base(importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if err != nil || names[name] {
			out = append(out, spec)
		}
	}
	return out
}

// data evaluates an example of a rule, which may use what its file imports.
func (x explanation) data(e *engine, example ast.Expr) ([]byte, error) {
	field := &ast.Field{Label: ast.NewIdent("example"), Value: example}
	f := &ast.File{}
	if used := usedImports(x.imports, []ast.Decl{field}); len(used) > 0 {
		specs := make([]*ast.ImportSpec, len(used))
		for i, spec := range used {
			specs[i] = ast.NewImport(spec.Name, strings.Trim(spec.Path.Value, `"`))
		}
		f.Decls = append(f.Decls, &ast.ImportDecl{Specs: specs})
	}
	f.Decls = append(f.Decls, field)
	return e.ctx.BuildFile(f).LookupPath(cue.ParsePath("example")).MarshalJSON()
}

func cutExplanation(body *ast.StructLit) explanation {
	var (
		x    explanation
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

// cutForReaders removes what only readers and tests of a package want, which the
// package marks with @readers(): declarations that compare all entries of a field
// with a type, and in these entries the fields that are marked in any type. The
// comparison is a test's, so that it is not made again at every run.
func cutForReaders(files []*ast.File) {
	marked, compared := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		f.Decls = slices.DeleteFunc(f.Decls, func(decl ast.Decl) bool {
			if !comparesForReaders(decl) {
				return false
			}
			compared[labelOf(decl)] = true
			return true
		})
		ast.Walk(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && forReaders(field) && labelOf(field) != "" {
				marked[labelOf(field)] = true
			}
			return true
		}, nil)
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			if !compared[labelOf(decl)] {
				continue
			}
			ast.Walk(decl, func(n ast.Node) bool {
				if lit, ok := n.(*ast.StructLit); ok {
					lit.Elts = slices.DeleteFunc(lit.Elts, func(decl ast.Decl) bool { return marked[labelOf(decl)] })
				}
				return true
			}, nil)
		}
	}
}

// labelOf is the name of a field, or "".
func labelOf(decl ast.Decl) string {
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

// comparesForReaders tells whether a declaration is name: [pattern]: type @readers().
func comparesForReaders(decl ast.Decl) bool {
	field, ok := decl.(*ast.Field)
	if !ok {
		return false
	}
	lit, ok := field.Value.(*ast.StructLit)
	if !ok || len(lit.Elts) != 1 {
		return false
	}
	inner, ok := lit.Elts[0].(*ast.Field)
	if !ok {
		return false
	}
	_, pattern := inner.Label.(*ast.ListLit)
	return pattern && forReaders(inner)
}

func forReaders(field *ast.Field) bool {
	return slices.ContainsFunc(field.Attrs, func(a *ast.Attribute) bool {
		name, _ := a.Split()
		return name == "readers"
	})
}

// fieldNamed returns the declaration if it is a field of that name.
func fieldNamed(decl ast.Decl, name string) *ast.Field {
	field, ok := decl.(*ast.Field)
	if !ok {
		return nil
	}
	if have, _, err := ast.LabelName(field.Label); err != nil || have != name {
		return nil
	}
	return field
}

func stringLiteral(x ast.Expr) (string, bool) {
	lit, ok := x.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	s, err := literal.Unquote(lit.Value)
	return s, err == nil
}
