package facts_test

import (
	"fmt"
	"testing"

	"cuelang.org/go/cue"
)

// older is #Older.
func older(t *testing.T, v cue.Value, version, than string) bool {
	t.Helper()
	compared := v.LookupPath(cue.ParsePath("#Older")).
		FillPath(cue.ParsePath("version"), version).
		FillPath(cue.ParsePath("than"), than)
	out, err := compared.LookupPath(cue.ParsePath("out")).Bool()
	if err != nil {
		t.Fatalf("%s older than %s: %v", version, than, err)
	}
	return out
}

func TestOlderComparesNumbersNotText(t *testing.T) {
	_, v := loadFacts(t)
	for _, tc := range []struct {
		version, than string
		want          bool
	}{
		{"580.105.08", "525.85.12", false},
		{"525.85.12", "580.105.08", true},
		{"580.95.05", "580.105.08", true},
		{"580.105.08", "580.95.05", false},
		{"570.133.08", "570.133.20", true},
		{"580.94.18", "580.95.05", true},
		{"570.133.20", "570.133.20", false},
		// Two parts are the first release of their kind.
		{"575.64", "575.64.03", true},
		{"575.64.03", "575.64", false},
		{"570.169", "570.153.02", false},
		// A branch stands for all its releases.
		{"580", "580.65.06", false},
		{"580.65.06", "580", false},
		{"580", "580", false},
		{"570", "580.65.06", true},
		{"580.142", "595", true},
		{"595.45.04", "580", false},
		// The unknown minimum is older than everything.
		{"450.80.02", "", false},
		{"580", "", false},
	} {
		t.Run(fmt.Sprintf("%s than %s", tc.version, tc.than), func(t *testing.T) {
			if got := older(t, v, tc.version, tc.than); got != tc.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestOlderRefusesWhatIsNoVersion(t *testing.T) {
	_, v := loadFacts(t)
	for _, text := range []string{"none", "", "580.65.06-ubuntu24.04", "r580", "580.65.06.1"} {
		compared := v.LookupPath(cue.ParsePath("#Older")).
			FillPath(cue.ParsePath("version"), text).
			FillPath(cue.ParsePath("than"), "525.85.12")
		if out, err := compared.LookupPath(cue.ParsePath("out")).Bool(); err == nil && compared.Validate() == nil {
			t.Errorf("%q is taken for a version: %v", text, out)
		}
	}
}
