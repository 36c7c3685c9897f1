package schema

import (
	"strings"
	"sync"
	"testing"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/guard"
	"github.com/gpugen/gpugen/schema/knowledge"
)

// guards of the rules, as a build has them.
var guards = sync.OnceValues(func() (*guard.Guards, error) {
	base, err := knowledge.Parse()
	if err != nil {
		return nil, err
	}
	f, err := guard.Of(base.Packages[knowledge.RulesPackage].Files, base.Packages[knowledge.Module+"/templates"].Files)
	if err != nil {
		return nil, err
	}
	return guard.Read(f), nil
})

// noneOfThemWasSilent checks that a rule that found something in a spec is none of those
// that a build does not even read for it. These tests have all rules read: so every spec
// of theirs is a test of the guards.
func noneOfThemWasSilent(t testing.TB, by *sharedEngine, c *Cluster, found diag.List) {
	t.Helper()
	if c == nil {
		return
	}
	g, err := guards()
	if err != nil {
		t.Fatal(err)
	}
	spec := by.schema.Complete(c.Spec.Data)
	for _, f := range found {
		file := "schema/rules/" + strings.ToLower(strings.ReplaceAll(f.ID, "-", "_")) + ".cue"
		if !g.Silent(file, spec) {
			continue
		}
		// A value that contradicts the spec is found by what the rule says, and without it.
		list := c.root.LookupPath(cue.MakePath(cue.Str("rules"), cue.Str(f.ID), cue.Str("found")))
		if n, err := list.Len().Int64(); err != nil || n > 0 {
			t.Errorf("%s would not have been looked for, and is found: %s", f.ID, describe1(f))
		}
	}
}

func TestAQuarterOfTheRulesIsSilentInAUsualSpec(t *testing.T) {
	g, err := guards()
	if err != nil {
		t.Fatal(err)
	}
	shared := borrow(t)
	defer shared.giveBack()
	silent := 0
	spec := shared.schema.Complete(baseSpec())
	for _, r := range catalogueRules() {
		if g.Silent("schema/rules/"+strings.ToLower(strings.ReplaceAll(r.ID, "-", "_"))+".cue", spec) {
			silent++
		}
	}
	if n := len(catalogueRules()); silent < n/4 {
		t.Errorf("%d of %d rules", silent, n)
	}
}
