package gpugen_test

import (
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
)

// In CUE a field shadows the variable of a loop around it: in
//
//	for name, pool in pools {metadata: name: name}
//
// the last name is the field itself, and the value never becomes concrete. Hence
// no loop or let of the knowledge base may be called like a field inside of it.
func TestNoFieldShadowsALoopVariable(t *testing.T) {
	checked := 0
	for _, file := range sourceFiles(t, ".cue") {
		if !strings.HasPrefix(file, "templates/") && !strings.HasPrefix(file, "schema/") {
			continue
		}
		parsed, err := parser.ParseFile(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		checked++
		for _, name := range shadowed(parsed) {
			t.Errorf("%s: the variable %s is called like a field inside of its loop", file, name)
		}
	}
	if checked == 0 {
		t.Error("no CUE was checked")
	}
}

func TestTheJudgeOfLoopVariables(t *testing.T) {
	for source, want := range map[string][]string{
		`for name, x in xs {metadata: name: name}`:             {"name"},
		`for poolName, x in xs {metadata: name: poolName}`:     nil,
		`for poolName, x in xs {metadata: "name": poolName}`:   nil,
		`a: [for i, key in xs {key: key}]`:                     {"key"},
		`a: [for x, pool in xs if pool.on {pool: x}]`:          nil,
		`a: [for x, pool in xs {pool: x, model: y.pool}]`:      nil,
		`a: {for x in xs let kind = x.kind {b: {kind: kind}}}`: {"kind"},
	} {
		parsed, err := parser.ParseFile("test.cue", source)
		if err != nil {
			t.Fatal(err)
		}
		if got := shadowed(parsed); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

// shadowed returns the variables of comprehensions that a field inside of them
// is called like, where the inside also refers to them. Quoted labels shadow
// nothing.
func shadowed(file *ast.File) []string {
	var out []string
	ast.Walk(file, func(n ast.Node) bool {
		loop, ok := n.(*ast.Comprehension)
		if !ok {
			return true
		}
		labels, used := fieldsIn(loop.Value), referencesIn(loop.Value)
		for _, variable := range variablesOf(loop) {
			if slices.Contains(labels, variable) && used[variable] {
				out = append(out, variable)
			}
		}
		return true
	}, nil)
	return out
}

func variablesOf(loop *ast.Comprehension) []string {
	var out []string
	for _, clause := range loop.Clauses {
		switch clause := clause.(type) {
		case *ast.ForClause:
			for _, variable := range []*ast.Ident{clause.Key, clause.Value} {
				if variable != nil {
					out = append(out, variable.Name)
				}
			}
		case *ast.LetClause:
			out = append(out, clause.Ident.Name)
		}
	}
	return out
}

func fieldsIn(n ast.Node) []string {
	var out []string
	ast.Walk(n, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok {
			if label, ok := field.Label.(*ast.Ident); ok {
				out = append(out, label.Name)
			}
		}
		return true
	}, nil)
	return out
}

// referencesIn returns the names that are referred to, rather than declared or
// selected.
func referencesIn(n ast.Node) map[string]bool {
	out := map[string]bool{}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if _, plain := n.Label.(*ast.Ident); plain {
				if n.Value != nil {
					ast.Walk(n.Value, visit, nil)
				}
				return false
			}
		case *ast.SelectorExpr:
			ast.Walk(n.X, visit, nil)
			return false
		case *ast.Ident:
			out[n.Name] = true
		}
		return true
	}
	ast.Walk(n, visit, nil)
	return out
}
