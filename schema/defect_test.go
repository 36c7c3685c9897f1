package schema

import (
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// A knowledge base that does not evaluate is one fatal finding about gpugen, never a
// panic, nor a spec without findings.
func TestAKnowledgeBaseThatDoesNotEvaluateIsADefect(t *testing.T) {
	broken := false
	e := privateEngine(t, func(f *ast.File) {
		if id, _ := ruleField(f); id == "MIG-001" {
			f.Decls = append(f.Decls, &ast.Field{Label: ast.NewIdent("rules"), Value: ast.NewLit(token.INT, "5")})
			broken = true
		}
	})
	if !broken {
		t.Fatal("nothing was broken")
	}
	_, found := e.evaluate(Input{Path: "testdata/rules/base.yaml"})
	if len(found) != 1 || found[0].ID != "RULE-001" || !found.Fatal() {
		t.Errorf("found %+v", found)
	}
}
