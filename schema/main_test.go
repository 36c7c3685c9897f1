package schema

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/gpugen/gpugen/schema/spectest"
)

// Tests of rules write specs as trees.
type (
	tree    = spectest.Tree
	branch  = spectest.Branch
	raw     = spectest.Raw
	written = spectest.Written
)

var (
	write           = spectest.Write
	cuePathElements = spectest.Elements
)

// IDs that tests of rules expect beside the rule's own.
const (
	idUnknownField = spectest.UnknownField
	idEndless      = "SPEC-014"
)

func TestMain(m *testing.M) {
	// What an evaluation allocates is garbage soon; twice what lives costs less time
	// than collecting all the while; it stays below 500 MiB.
	debug.SetGCPercent(150)
	os.Exit(m.Run())
}
