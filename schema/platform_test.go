package schema

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/syntax"
)

// A fact about a platform that decides nothing would be kept up by people for nobody.
func TestEachFactAboutAPlatformIsRead(t *testing.T) {
	var facts []string
	read := map[string]bool{}
	for _, src := range Sources() {
		f, err := parser.ParseFile(src.Path, src.Data)
		if err != nil {
			t.Fatal(err)
		}
		switch path.Dir(src.Path) {
		case "schema/facts":
			for _, decl := range f.Decls {
				if syntax.LabelOf(decl) == "#Platform" {
					facts = append(facts, leaves(decl.(*ast.Field).Value, "platform")...)
				}
			}
		case "templates", "schema/rules":
			for _, fact := range readOf(f, "platform") {
				read[fact] = true
			}
		}
	}
	facts = slices.DeleteFunc(facts, func(fact string) bool { return fact == "platform.sources" || fact == "platform.unconfirmed" })
	if len(facts) < 8 || !slices.Contains(facts, "platform.host.driver") || !slices.Contains(facts, "platform.provider.refusal") {
		t.Fatal("few facts seen:", facts)
	}
	for _, fact := range facts {
		if !read[fact] {
			t.Errorf("no template, rule or default reads %s", fact)
		}
	}
	// A field that is not there would read as absent in some places, and as undecided in others.
	for fact := range read {
		if !slices.ContainsFunc(facts, func(f string) bool { return f == fact || strings.HasPrefix(f+".", fact+".") }) {
			t.Errorf("%s is read, and no fact", fact)
		}
	}
}

// What differs between platforms is a fact, so that the next platform needs no change
// of a rule or template, and its users read its own name in findings.
func TestNoRuleOrTemplateKnowsAPlatformByName(t *testing.T) {
	named := regexp.MustCompile(`(?i)\b(aks|azure|eks|aws|gke|google|oke|k3s|rke2|openshift|microk8s)\b`)
	// A chart, a library and an API group are called so wherever they run.
	others := regexp.MustCompile(`aws-efa-k8s-device-plugin|aws-ofi-nccl|sriovnetwork[.]openshift[.]io`)
	seen := 0
	for _, src := range Sources() {
		if dir := path.Dir(src.Path); dir != "templates" && dir != "schema/rules" {
			continue
		}
		f, err := parser.ParseFile(src.Path, src.Data)
		if err != nil {
			t.Fatal(err)
		}
		ast.Walk(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportDecl:
				return false
			case *ast.Field:
				// A source is an address, and bad and good are specs.
				return !slices.Contains([]string{"source", "bad", "good", "fixed"}, syntax.LabelOf(n))
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					seen++
					if name := named.FindString(others.ReplaceAllString(n.Value, "")); name != "" {
						t.Errorf("%s names %s in %s", src.Path, name, n.Value)
					}
				}
			}
			return true
		}, nil)
	}
	if seen < 1000 {
		t.Fatal("few strings seen:", seen)
	}
}

// leaves are the paths of the fields in a struct that have no fields of their own.
func leaves(expr ast.Expr, at string) []string {
	lit, ok := expr.(*ast.StructLit)
	if !ok {
		return []string{at}
	}
	var out []string
	for _, decl := range lit.Elts {
		switch decl := decl.(type) {
		case *ast.Field:
			name := syntax.LabelOf(decl)
			if name == "" { // a pattern: the names are data
				return []string{at}
			}
			out = append(out, leaves(decl.Value, at+"."+name)...)
		case *ast.Comprehension:
			out = append(out, leaves(decl.Value, at)...)
		}
	}
	return out
}

// readOf are the paths below a name that a file takes values from. To ask whether there
// is one at all is not to read it.
func readOf(f *ast.File, root string) []string {
	var out []string
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			_, bottom := n.Y.(*ast.BottomLit)
			return !bottom
		case *ast.SelectorExpr:
			if chain := chainOf(n); strings.HasPrefix(chain, root+".") {
				out = append(out, chain)
				return false
			}
		}
		return true
	}, nil)
	return out
}

// chainOf is a.b.c of such an expression, "" of another.
func chainOf(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		if left := chainOf(expr.X); left != "" {
			name, _, err := ast.LabelName(expr.Sel)
			if err == nil {
				return left + "." + name
			}
		}
	}
	return ""
}
