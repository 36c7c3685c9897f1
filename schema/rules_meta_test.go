package schema

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/diag"
)

// holdsRule matches the names of files that hold a rule; others hold what rules share.
var holdsRule = regexp.MustCompile(`_[0-9]{3}[.]cue$`)

// ruleFiles are the files of the catalogue that hold a rule.
func ruleFiles(t testing.TB) map[string]*ast.File {
	t.Helper()
	out := map[string]*ast.File{}
	for _, src := range Sources() {
		if path.Dir(src.Path) != "schema/rules" || !holdsRule.MatchString(src.Path) {
			continue
		}
		f, err := parser.ParseFile(src.Path, src.Data)
		if err != nil {
			t.Fatal(err)
		}
		out[path.Base(src.Path)] = f
	}
	return out
}

// ruleField is the field of a file that holds a rule, and the rule's ID.
func ruleField(f *ast.File) (id string, body *ast.StructLit) {
	for _, d := range f.Decls {
		field, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		if name, _, _ := ast.LabelName(field.Label); name != "rules" {
			continue
		}
		for _, inner := range field.Value.(*ast.StructLit).Elts {
			if rule, ok := inner.(*ast.Field); ok {
				id, _, _ = ast.LabelName(rule.Label)
				body, _ = rule.Value.(*ast.StructLit)
				return id, body
			}
		}
	}
	return "", nil
}

func TestEachFileOfTheCatalogueHoldsTheRuleItIsNamedAfter(t *testing.T) {
	var ids []string
	for name, f := range ruleFiles(t) {
		id, _ := ruleField(f)
		if want := strings.ToLower(strings.ReplaceAll(id, "-", "_")) + ".cue"; name != want {
			t.Errorf("%s holds %s", name, id)
		}
		ids = append(ids, id)
	}
	for _, r := range catalogueRules() {
		if !slices.Contains(ids, r.ID) {
			t.Errorf("%s has no file of its own", r.ID)
		}
	}
	if len(ids) != len(catalogueRules()) {
		t.Errorf("%d files, %d rules", len(ids), len(catalogueRules()))
	}
}

// dated is a document that can be opened, with the month in which it said so.
var dated = regexp.MustCompile(`https://[^ ]+.*\((|[^()]*[^0-9])20[0-9]{2}-[0-9]{2}`)

func TestEachRuleSaysWhatItKnowsAndWhereFrom(t *testing.T) {
	for _, r := range catalogueRules() {
		if strings.HasSuffix(r.Title, ".") || strings.HasSuffix(r.Fix, ".") {
			t.Errorf("%s: title and fix are no sentences", r.ID)
		}
		if !strings.HasSuffix(r.Why, ".") {
			t.Errorf("%s: why is not a sentence", r.ID)
		}
		if !dated.MatchString(r.Source) {
			t.Errorf("%s: source %q has no URL with a date", r.ID, r.Source)
		}
		if strings.Contains(r.Source, "/latest/") {
			t.Errorf("%s: source %q will say something else one day", r.ID, r.Source)
		}
	}
}

// startsAMessage lists what a message may start with in upper case.
var startsAMessage = []string{"Argo CD ", "GPU Operator ", "Kubernetes ", "Kueue's ", "Namespace "}

// checkMessage checks that a message is no sentence.
func checkMessage(t *testing.T, f diag.Finding) {
	t.Helper()
	if strings.HasSuffix(f.Message, ".") || strings.Contains(f.Message, "\n") {
		t.Errorf("message %q", f.Message)
	}
	if first := f.Message[:1]; first == strings.ToUpper(first) && strings.ToLower(first) != first &&
		!slices.ContainsFunc(startsAMessage, func(s string) bool { return strings.HasPrefix(f.Message, s) }) {
		t.Errorf("message starts in upper case: %q", f.Message)
	}
}

// inSchema tells whether a spec may hold something at path.
func inSchema(v cue.Value, at []any) bool {
	if len(at) == 0 {
		return true
	}
	if at[0] == "values" || v.IncompleteKind() == cue.TopKind {
		// Whatever the chart, or an object, has.
		return true
	}
	selectors := []cue.Selector{cue.AnyIndex}
	if name, ok := at[0].(string); ok {
		selectors = []cue.Selector{cue.Str(name), cue.Str(name).Optional(), cue.Str(name).Required(), cue.AnyString}
	}
	for _, s := range selectors {
		if inner := v.LookupPath(cue.MakePath(s)); inner.Exists() {
			return inSchema(inner, at[1:])
		}
	}
	return false
}

// With a rule's found emptied nothing is found in its bad: the rule, and nothing
// else, sees what is wrong. A guarded rule has an empty found already.
func doesTheWork(t *testing.T, r Rule) {
	emptied := false
	e := privateEngine(t, func(f *ast.File) {
		id, body := ruleField(f)
		if id != r.ID {
			return
		}
		for _, d := range body.Elts {
			if field, ok := d.(*ast.Field); ok {
				if name, _, _ := ast.LabelName(field.Label); name == "found" {
					field.Value = noneOf(field.Value)
					emptied = true
				}
			}
		}
	})
	if !emptied {
		t.Fatal("found is not where it should be")
	}
	d := single("yaml", laidOver(baseSpec(), r.Bad))
	if _, found := e.evaluate(Input{Path: "-", Stdin: strings.NewReader(d.files[0].Text.String())}); len(found) > 0 {
		t.Errorf("without the rule: %v", described(found))
	}
}

// noneOf is a list that yields nothing of another, which it still refers to.
func noneOf(list ast.Expr) ast.Expr {
	return ast.NewList(&ast.Comprehension{
		Clauses: []ast.Clause{
			&ast.ForClause{Value: ast.NewIdent("x"), Source: list},
			&ast.IfClause{Condition: ast.NewBool(false)},
		},
		Value: ast.NewStruct(),
	})
}

func TestGuardedRulesFindNothingThemselves(t *testing.T) {
	guards := reasonRules(t)
	for _, r := range catalogueRules() {
		if r.Guarded && !guards[r.ID] {
			t.Errorf("%s is guarded, but no reason names it", r.ID)
		}
		delete(guards, r.ID)
	}
	for id := range guards {
		t.Errorf("a reason names %s, which is no rule", id)
	}
	for name, f := range ruleFiles(t) {
		id, body := ruleField(f)
		guarded := slices.ContainsFunc(catalogueRules(), func(r Rule) bool { return r.ID == id && r.Guarded })
		for _, d := range body.Elts {
			field, ok := d.(*ast.Field)
			if !ok {
				continue
			}
			if label, _, _ := ast.LabelName(field.Label); label == "found" {
				list, _ := field.Value.(*ast.ListLit)
				if guarded && (list == nil || len(list.Elts) > 0) {
					t.Errorf("%s is guarded, and finds something all the same", name)
				}
			}
		}
	}
}

// Rules are decided on what people really write.
func TestNothingIsFoundInTheExamples(t *testing.T) {
	for _, name := range []string{"onprem-h100", "k3s-workstation", "dra-h100", "mixed-pools", "dev-time-slicing"} {
		if _, found := judge(t, Input{Path: "../examples/" + name}); len(found) > 0 {
			t.Errorf("%s: %v", name, described(found))
		}
	}
}
