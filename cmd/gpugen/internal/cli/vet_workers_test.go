package cli

import (
	"os"
	"testing"

	"github.com/gpugen/gpugen/schema/diag"
)

// goneCommand is a worker that ends before it has judged anything.
const goneCommand = "gpugen-gone"

func TestAWorkerThatEndsIsAFindingAboutItsSpec(t *testing.T) {
	self := os.Args[0]
	defer func() { os.Args[0] = self }()
	os.Args[0] = goneCommand
	specs := []string{"a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"}
	found, err := vetApart(t.Context(), streams{}, nil, specs)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(specs) {
		t.Fatalf("%d findings about %d specs", len(found), len(specs))
	}
	for i, f := range found {
		if f.ID != "SPEC-038" || f.Position != (diag.Position{File: specs[i]}) || f.Message != "the process that judged the spec ended: exit status 3" {
			t.Errorf("%s: %s: %s", f.Position.File, f.ID, f.Message)
		}
	}
}
