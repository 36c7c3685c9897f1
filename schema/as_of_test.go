package schema

import (
	"slices"
	"strings"
	"testing"
)

// What is no longer supported depends on the day that is asked for, to the day.
func TestTimeIsTheDayThatIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		spec, asOf string
		want       []string
	}{
		{"kubernetes: {version: 1.35.8}", "2027-02-28", nil},
		{"kubernetes: {version: 1.35.8}", "2027-03-01", []string{"K8S-002"}},
		{"kubernetes: {version: 1.34.9}", "2026-10-27", nil},
		{"kubernetes: {version: 1.34.9}", "2026-10-28", []string{"K8S-002"}},
		{"kubernetes: {version: 1.34.9}", "", []string{"K8S-002"}},
		{"components: {gpu-operator: {version: v26.3.3}}", "2026-08-19", nil},
		{"components: {gpu-operator: {version: v26.3.3}}", "2026-08-20", []string{"PIN-009"}},
		{"components: {gpu-operator: {version: v25.10.1}}", "2026-03-17", nil},
		{"components: {gpu-operator: {version: v25.10.1}}", "2026-03-18", []string{"PIN-009"}},
		{"{}", "2026-08-20", nil},
	} {
		e := borrow(t)
		_, found := e.evaluate(Input{Path: "-", Stdin: strings.NewReader(single("yaml", overlaid(t, c.spec)).files[0].Text.String()), AsOf: c.asOf})
		e.giveBack()
		if ids := idsOf(found); !slices.Equal(ids, c.want) {
			t.Errorf("%s as of %q: %v, want %v", c.spec, c.asOf, described(found), c.want)
		}
	}
}
