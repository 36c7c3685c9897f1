package knowledge

import (
	"os"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
)

func engineForTest(t *testing.T) *Engine {
	t.Helper()
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestTheCatalogueIsSortedAndWhole(t *testing.T) {
	rules, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(rules, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the rules are not in the order of their IDs")
	}
	files, err := os.ReadDir("../rules")
	if err != nil {
		t.Fatal(err)
	}
	ofFiles := 0
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".cue")
		if n := len(name); n > 3 && strings.Trim(name[n-3:], "0123456789") == "" {
			ofFiles++
		}
	}
	if len(rules) != ofFiles {
		t.Errorf("%d rules in %d files", len(rules), ofFiles)
	}
	for _, r := range rules {
		if r.Title == "" || r.Why == "" || r.Fix == "" || r.Source == "" || len(r.Bad) == 0 || len(r.Good) == 0 {
			t.Errorf("%s says too little: %+v", r.ID, r)
		}
		if r.Severity != diag.Error && r.Severity != diag.Warning {
			t.Errorf("%s is a %q", r.ID, r.Severity)
		}
	}
}

// What people read is cut out before CUE sees it; a finding has it all the same.
func TestARuleIsExplainedThoughItsTextsAreNotEvaluated(t *testing.T) {
	e := engineForTest(t)
	rules, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range rules {
		v := e.Rules().LookupPath(cue.MakePath(cue.Str("rules"), cue.Str(want.ID)))
		for _, field := range []string{"bad", "good", "fixed"} {
			if v.LookupPath(cue.ParsePath(field)).Exists() {
				t.Errorf("%s: %s is evaluated", want.ID, field)
			}
		}
		if x := e.Explain(want.ID, v); x.Title != want.Title || x.Why != want.Why || x.Fix != want.Fix || x.Source != want.Source {
			t.Errorf("%s is explained as %+v", want.ID, x)
		}
		if !e.HasRule(want.ID) {
			t.Errorf("%s is no rule", want.ID)
		}
	}
	if e.HasRule("ACME-001") {
		t.Error("ACME-001 is one of gpugen's")
	}
}

func TestTheRuleOfAReasonDependsOnWhatIsForced(t *testing.T) {
	either := Reason{Rule: map[string]any{"true": "DRIVER-001", "false": "DRIVER-041"}}
	for _, c := range []struct {
		reason Reason
		value  any
		want   string
	}{
		{Reason{Rule: "NET-001"}, true, "NET-001"}, {Reason{}, true, ""}, {either, true, "DRIVER-001"}, {either, false, "DRIVER-041"},
		// To a chart null is as good as false.
		{either, nil, "DRIVER-041"}, {Reason{Rule: map[string]any{"true": "DRIVER-001"}}, false, ""},
	} {
		if got := c.reason.RuleFor(c.value); got != c.want {
			t.Errorf("%v of %v is %q, want %q", c.reason.Rule, c.value, got, c.want)
		}
	}
}

func TestWhatIsKnownHasThePreferredVersionFirst(t *testing.T) {
	known, err := Known()
	if err != nil {
		t.Fatal(err)
	}
	e := engineForTest(t)
	carried := 0
	for _, c := range known.Components {
		if len(c.Versions) == 0 {
			continue
		}
		carried++
		preferred, err := e.PreferredVersion(c.Name)
		if err != nil || c.Versions[0] != preferred {
			t.Errorf("%s: %v, preferred is %q (%v)", c.Name, c.Versions, preferred, err)
		}
		if rest := slices.Clone(c.Versions[1:]); !slices.IsSortedFunc(rest, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("%s: %v are not from new to old", c.Name, rest)
		}
		for _, version := range c.Versions {
			if e.IndexOf(c.Name, version) == nil {
				t.Errorf("%s %s has no index", c.Name, version)
			}
		}
	}
	if carried < 8 {
		t.Errorf("only %d components with a chart", carried)
	}
	i := slices.IndexFunc(known.Models, func(m KnownModel) bool { return m.Name == "h100-sxm-80gb" })
	if i < 0 || known.Models[i].Product != "NVIDIA-H100-80GB-HBM3" || known.Models[i].MemoryGiB != 80 || !slices.Contains(known.Models[i].MIGProfiles, "1g.10gb") {
		t.Errorf("%+v", known.Models[max(i, 0)])
	}
}

func TestWhatIsNotCarriedHasNoIndex(t *testing.T) {
	e := engineForTest(t)
	if index := e.IndexOf("gpu-operator", "v1.0.0"); index != nil {
		t.Error("an index of a version that nobody carries")
	}
	if _, err := ChartIndex("gpu-operator", "v1.0.0"); err == nil || !strings.Contains(err.Error(), "gpu-operator v1.0.0") {
		t.Errorf("%v", err)
	}
	if _, err := e.PreferredVersion("nothing"); err == nil {
		t.Error("a preferred version of nothing")
	}
}

func TestRetiredIDsAreNoRules(t *testing.T) {
	retired, err := Retired()
	if err != nil || len(retired) == 0 {
		t.Fatal(retired, err)
	}
	e := engineForTest(t)
	for old := range retired {
		if e.HasRule(old) {
			t.Errorf("%s is retired, and a rule", old)
		}
	}
}

func TestNamesThatAreReadOffTheSyntaxAreThoseOfTheFacts(t *testing.T) {
	e := engineForTest(t)
	it, err := e.Facts().LookupPath(cue.ParsePath("gpus")).Fields()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for it.Next() {
		want = append(want, it.Selector().Unquoted())
	}
	got := e.Base.NamesIn("gpus")
	slices.Sort(got)
	slices.Sort(want)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%d names, want %d: %v", len(got), len(want), got)
	}
}
