package load

import (
	"slices"
	"testing"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

const siteRules = `
import (
	"strings"
	"github.com/gpugen/gpugen/schema/rule"
)
rules: "ACME-001": rule.#Rule & {
	title:    strings.ToUpper("x")
	severity: "error"
	why:      "w"
	fix:      "f"
	source:   "https://acme.example.com"
	spec:     _
	found: [for poolName, pool in spec.nodePools {at: ["nodePools", poolName], message: "bad"}]
}
`

func TestSiteRulesAreBuiltApartFromTheSpec(t *testing.T) {
	e := loaderForTest(t)
	spectest.WriteFiles(t, map[string]string{
		"d/a.cue": goodCUE,
		"d/b.cue": "package cluster\n" + siteRules,
	})
	spec, found := e.load(source.Input{Path: "d"})
	if len(found) > 0 {
		t.Fatalf("found %+v", found)
	}
	if _, ok := spec.Data["rules"]; ok {
		t.Error("the rules are in the spec's data")
	}
	site := spec.SiteRules()
	if site == nil {
		t.Fatal("no site rules")
	}
	rules, found := SiteRules(e.engine, site)
	if len(found) > 0 {
		t.Fatalf("found %+v", found)
	}
	r := rules.LookupPath(cue.MakePath(cue.Str("ACME-001"))).FillPath(cue.ParsePath("spec"), spec.Data)
	if n, err := r.LookupPath(cue.ParsePath("found")).Len().Int64(); err != nil || n != 1 {
		t.Errorf("the rule finds %d, %v", n, err)
	}
	if title, err := r.LookupPath(cue.ParsePath("title")).String(); err != nil || title != "X" {
		t.Errorf("title %q, %v", title, err)
	}
	for id, line := range map[string]int{"ACME-001": 7, "": 7, "ACME-999": 7} {
		if at := site.Position(id); at.File != "d/b.cue" || at.Line != line {
			t.Errorf("%q is at %+v", id, at)
		}
	}
}

func TestSiteRulesThatDoNotCompileHarmOnlyThemselves(t *testing.T) {
	e := loaderForTest(t)
	spectest.WriteFiles(t, map[string]string{"a.cue": goodCUE + "rules: \"ACME-001\": {found: nosuch}\n"})
	spec, found := e.load(source.Input{Path: "a.cue"})
	if len(found) > 0 {
		t.Fatalf("found %+v", found)
	}
	_, found = SiteRules(e.engine, spec.SiteRules())
	if got := spectest.Brief(found); !slices.Equal(got, []string{"a.cue:6:28 SPEC-015"}) {
		t.Errorf("found %+v", found)
	}
}

func TestNoSiteRules(t *testing.T) {
	spectest.WriteFiles(t, map[string]string{"a.cue": goodCUE})
	spec, _ := loaderForTest(t).load(source.Input{Path: "a.cue"})
	if spec.SiteRules() != nil {
		t.Error("there are site rules")
	}
}
