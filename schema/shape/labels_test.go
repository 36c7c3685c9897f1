package shape

import (
	"slices"
	"testing"

	"cuelang.org/go/cue"
)

// Paths of values are compared with those of CUE's errors, which write an element of a
// list as its number.
func TestLabelsAreThoseOfCUEsErrors(t *testing.T) {
	if got, want := labels(cue.ParsePath(`nodePools."a-b".taints[1].key`)), []string{"nodePools", `"a-b"`, "taints", "1", "key"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
