package schema

import "testing"

func TestRulesOfTheExampleSiteHoldOnTheirExamples(t *testing.T) {
	t.Parallel()
	tried, found, err := TrySiteRules(Input{Path: "../examples/site-knowledge"})
	if err != nil || len(found) > 0 || tried != 1 {
		t.Errorf("%d rules: %v %v", tried, described(found), err)
	}
}
