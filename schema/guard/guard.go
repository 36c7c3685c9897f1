// Package guard tells which rules cannot find anything in a spec, from their conditions
// and the spec's data, so that nobody compiles or evaluates them. It must not guess: what
// it cannot tell speaks. It must not know what any rule is about.
package guard

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/syntax"
)

// Code is this package, by which guards that another made are told from its own.
//
//go:embed *.go
var Code embed.FS

// Filename is what the file of guards is called.
const Filename = "guards.cue"

// Of takes the guards out of the files of package rules: of each file with one rule, of
// which nothing else is in need, under which conditions it looks for something. The files
// of package templates say what they add to a spec.
//
// An error is a defect of this package.
func Of(rules, templates []*ast.File) (*ast.File, error) {
	var text strings.Builder
	text.WriteString("package guards\n\nrules: {\n")
	always := importsOfOthers(rules)
	for _, f := range rules {
		conditions, ok := conditionsOf(f)
		if !ok || slices.ContainsFunc(ownImports(f), func(path string) bool { return !always[path] }) {
			continue
		}
		source, err := format.Node(conditions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Filename, err)
		}
		fmt.Fprintf(&text, "%s: %s\n", syntax.Quote(f.Filename), source)
	}
	text.WriteString("}\nadditions: ")
	writeAdditions(&text, additionsOf(templates))
	text.WriteString("\n")
	return parser.ParseFile(Filename, text.String())
}

// importsOfOthers are the packages that the files without a rule import, all of which a
// build of these alone knows.
func importsOfOthers(files []*ast.File) map[string]bool {
	out := map[string]bool{}
	for _, f := range files {
		if _, ok := conditionsOf(f); ok {
			continue
		}
		for _, path := range ownImports(f) {
			out[path] = true
		}
	}
	return out
}

// ownImports are the imports of a file that are not CUE's own.
func ownImports(f *ast.File) []string {
	var out []string
	for spec := range f.ImportSpecs() {
		if strings.Contains(spec.Path.Value, ".") {
			out = append(out, spec.Path.Value)
		}
	}
	return out
}

// conditionsOf is the found list of a file that holds one rule and nothing else, without
// what is found; false where there is no such list, or where its conditions ask nothing of the spec.
func conditionsOf(f *ast.File) (*ast.ListLit, bool) {
	var rule *ast.StructLit
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.Package, *ast.ImportDecl:
			continue
		case *ast.Field:
			lit, ok := decl.Value.(*ast.StructLit)
			if !ok || rule != nil || syntax.LabelOf(decl) != "rules" || len(lit.Elts) != 1 {
				return nil, false
			}
			one, ok := lit.Elts[0].(*ast.Field)
			if !ok {
				return nil, false
			}
			if rule, ok = one.Value.(*ast.StructLit); !ok {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	if rule == nil {
		return nil, false
	}
	for _, decl := range rule.Elts {
		field, ok := decl.(*ast.Field)
		if !ok || syntax.LabelOf(field) != "found" {
			continue
		}
		list, ok := field.Value.(*ast.ListLit)
		if !ok {
			return nil, false
		}
		return stripped(list)
	}
	return nil, false
}

func stripped(list *ast.ListLit) (*ast.ListLit, bool) {
	out := &ast.ListLit{}
	for _, element := range list.Elts {
		c, ok := element.(*ast.Comprehension)
		if !ok {
			return nil, false
		}
		asks, own := false, true
		for _, clause := range c.Clauses {
			ast.Walk(clause, func(n ast.Node) bool {
				if ident, ok := n.(*ast.Ident); ok && isRoot(ident.Name) {
					asks = true
					// It is the package's, or nothing that is known here.
					own = own && ident.Node == nil
				}
				return true
			}, nil)
		}
		if !asks || !own {
			return nil, false
		}
		out.Elts = append(out.Elts, &ast.Comprehension{Clauses: c.Clauses, Value: &ast.StructLit{}})
	}
	return out, len(out.Elts) > 0
}

// isRoot tells whether a name is one of those under which rules know the spec.
func isRoot(name string) bool { return name == "input" || name == "spec" }

// Guards tell which rules are silent.
type Guards struct {
	// conditions of each file.
	conditions map[string]*ast.ListLit
	additions  *additions
}

// Read reads what Of wrote.
func Read(f *ast.File) *Guards {
	g := &Guards{conditions: map[string]*ast.ListLit{}}
	for _, decl := range f.Decls {
		field, ok := decl.(*ast.Field)
		if !ok {
			continue
		}
		lit, _ := field.Value.(*ast.StructLit)
		switch syntax.LabelOf(field) {
		case "rules":
			for _, elt := range lit.Elts {
				rule := elt.(*ast.Field)
				g.conditions[syntax.LabelOf(rule)] = rule.Value.(*ast.ListLit)
			}
		case "additions":
			g.additions = readAdditions(lit)
		}
	}
	return g
}

// Guarded tells whether anything is known of the rule in a file.
func (g *Guards) Guarded(file string) bool { return g.conditions[file] != nil }

// Silent tells whether the rule in a file finds nothing in a spec, complete with defaults.
func (g *Guards) Silent(file string, input map[string]any) bool {
	conditions := g.conditions[file]
	return conditions != nil && g.in(input).empty(conditions, nil)
}

func (g *Guards) in(input map[string]any) *evaluation {
	return &evaluation{roots: map[string]value{
		"input": {known: true, data: input},
		"spec":  {known: true, data: input, additions: g.additions},
	}}
}
