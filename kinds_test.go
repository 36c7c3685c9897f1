package gpugen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// kind is a kind of finding as a kinds.go declares it.
type kind struct {
	dir, name string
	fields    map[string]string
}

func (k kind) id() string { return k.fields["ID"] }

// emittedNowhere are kinds that no test can bring about, with the reason.
var emittedNowhere = map[string]string{}

func TestEachKindOfFindingIsListedOnceAndSaysWhatItMust(t *testing.T) {
	documented, err := os.ReadFile("docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, k := range declaredKinds(t) {
		if seen[k.id()] {
			t.Errorf("%s is two kinds; one ID has one severity", k.id())
		}
		seen[k.id()] = true
		for _, field := range []string{"ID", "Title", "Severity", "Why", "Fix"} {
			if k.fields[field] == "" {
				t.Errorf("%s in %s has no %s", k.name, k.dir, field)
			}
		}
		if strings.Contains(k.fields["Title"], "(") {
			t.Errorf("%s: the severity is no part of the title %q", k.id(), k.fields["Title"])
		}
		if !strings.Contains(string(documented), "\n### "+k.id()+"\n") {
			t.Errorf("%s is not in the catalogue: list it in Kinds of %s", k.id(), k.dir)
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d kinds were found", len(seen))
	}
}

// A kind that nothing brings about is text that nobody reads, or a check that
// nothing calls.
func TestEachKindOfFindingIsBroughtAboutByATest(t *testing.T) {
	texts := testTexts(t)
	for _, k := range declaredKinds(t) {
		tested := slices.ContainsFunc(texts, func(f testText) bool {
			return strings.Contains(f.text, k.id()) || f.dir == k.dir && f.identifiers[k.name]
		})
		if reason := emittedNowhere[k.id()]; tested == (reason != "") {
			t.Errorf("%s (%s in %s): tested %v, exception %q", k.id(), k.name, k.dir, tested, reason)
		}
	}
}

// Findings are made of kinds, so that one ID says one thing everywhere.
func TestFindingsAreMadeOfKinds(t *testing.T) {
	// Rules are written in CUE, and make findings of their own.
	made := []string{"schema/diag/kind.go", "schema/check/rules.go"}
	for _, file := range sourceFiles(t, ".go") {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "e2e/") || slices.Contains(made, file) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok && isDiag(lit.Type, "Finding") && len(lit.Elts) > 0 {
				t.Errorf("%s makes a finding by hand; use a kind of kinds.go", file)
			}
			return true
		})
	}
}

// declaredKinds reads the kinds.go of all packages.
func declaredKinds(t *testing.T) []kind {
	t.Helper()
	var out []kind
	for _, file := range sourceFiles(t, ".go") {
		if path.Base(file) != "kinds.go" {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if lit, ok := spec.Values[0].(*ast.CompositeLit); ok && isDiag(lit.Type, "Kind") {
				out = append(out, kind{path.Dir(file), spec.Names[0].Name, fieldsOf(lit)})
			}
			return true
		})
	}
	return out
}

// isDiag tells whether an expression is a type of package diag.
func isDiag(x ast.Expr, name string) bool {
	selector, ok := x.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	pkg, ok := selector.X.(*ast.Ident)
	return ok && pkg.Name == "diag"
}

// fieldsOf are the fields of a literal as text.
func fieldsOf(lit *ast.CompositeLit) map[string]string {
	out := map[string]string{}
	for _, elt := range lit.Elts {
		pair, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		text := "set"
		if basic, ok := pair.Value.(*ast.BasicLit); ok {
			text, _ = strconv.Unquote(basic.Value)
		}
		out[pair.Key.(*ast.Ident).Name] = text
	}
	return out
}

// testText is a test, or data of one.
type testText struct {
	dir, text   string
	identifiers map[string]bool
}

func testTexts(t *testing.T) []testText {
	t.Helper()
	var out []testText
	add := func(file string, identifiers map[string]bool) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, testText{path.Dir(file), string(data), identifiers})
	}
	for _, pattern := range []string{"cmd/gpugen/internal/cli/testdata/script/*.txtar", "schema/load/testdata/script/*.txtar", "schema/testdata/rules/cases/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("nothing matches %s (%v)", pattern, err)
		}
		for _, file := range files {
			add(file, nil)
		}
	}
	for _, file := range sourceFiles(t, ".go") {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		identifiers := map[string]bool{}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				identifiers[id.Name] = true
			}
			return true
		})
		add(file, identifiers)
	}
	return out
}
