package knowledge

import (
	"testing"

	"cuelang.org/go/cue"
)

// A run evaluates of each package what its spec needs; that all of it evaluates is
// for here.
func TestEachPackageEvaluatesAsAWhole(t *testing.T) {
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]cue.Value{"facts": e.Facts(), "charts": e.Charts(), "#Spec": e.Spec} {
		if err := v.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := e.Rules().LookupPath(cue.ParsePath("rules")).Err(); err != nil {
		t.Errorf("rules: %v", err)
	}
}
