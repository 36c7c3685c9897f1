package schema

import (
	"fmt"
	"slices"
	"testing"
)

func TestRetiredIDsLeadToOnesThatAreThere(t *testing.T) {
	retired, err := Retired()
	if err != nil || len(retired) == 0 {
		t.Fatal(err, retired)
	}
	catalogue, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	known := func(id string) bool {
		return slices.ContainsFunc(catalogue, func(r Rule) bool { return r.ID == id })
	}
	for old, now := range retired {
		if known(old) || !known(now) {
			t.Errorf("%s is retired and leads to %s: there are %v and %v", old, now, known(old), known(now))
		}
	}
}

// Whoever waived a warning under an ID that is retired has waived it still.
func TestAWaiverOfARetiredIDStillHolds(t *testing.T) {
	t.Parallel()
	const waived = "gitops: {argocd: {rootProject: gpu-research}}\nwaivers: [{rule: %s, at: gitops, reason: known}]"
	for id, want := range map[string][]string{
		"GITOPS-002": {"ARGO-028", "WAIVER-002"},
		"ARGO-028":   {"ARGO-028", "WAIVER-002"},
		"GITOPS-001": {"ARGO-028", "WAIVER-001"},
	} {
		_, found := single("yaml", overlaid(t, fmt.Sprintf(waived, id))).judge(t)
		if got := idsOf(found); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", id, got, want)
		}
	}
}

// A warning about values is waived like one of a rule.
func TestAWarningAboutValuesCanBeWaived(t *testing.T) {
	t.Parallel()
	const values = `components: {gpu-operator: {values: {operator: {resources: {limitss: {cpu: 1}}}}}}
waivers: [{rule: VALUES-005, at: 'components."gpu-operator".values', reason: known}]`
	_, found := single("yaml", overlaid(t, values)).judge(t)
	if len(found) > 0 {
		t.Errorf("found %v", described(found))
	}
}
