package schema

import (
	"path"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
)

// What two rules need stands in a file of what rules share, so that a rule can be
// read, and taken away, by itself.
func TestNoRuleNeedsAnotherRulesFile(t *testing.T) {
	declaredIn := map[string]string{}
	for file, f := range ruleFiles(t) {
		for _, decl := range f.Decls {
			if name := hiddenName(decl); name != "" {
				declaredIn[name] = file
			}
		}
	}
	if len(declaredIn) < 10 {
		t.Fatal("few declarations seen:", declaredIn)
	}
	for _, src := range Sources() {
		if path.Dir(src.Path) != "schema/rules" {
			continue
		}
		f, err := parser.ParseFile(src.Path, src.Data)
		if err != nil {
			t.Fatal(err)
		}
		ast.Walk(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if owner := declaredIn[id.Name]; owner != "" && owner != path.Base(src.Path) {
					t.Errorf("%s needs %s of %s; put it into a file of what rules share", src.Path, id.Name, owner)
				}
			}
			return true
		}, nil)
	}
}

// hiddenName is the name of a declaration that only its package sees, or "".
func hiddenName(decl ast.Decl) string {
	field, ok := decl.(*ast.Field)
	if !ok {
		return ""
	}
	id, ok := field.Label.(*ast.Ident)
	if !ok || !strings.HasPrefix(id.Name, "_") && !strings.HasPrefix(id.Name, "#") {
		return ""
	}
	return id.Name
}
