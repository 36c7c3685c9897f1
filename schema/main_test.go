package schema

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/gpugen/gpugen/internal/mutant"
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
	mutant.Apply()
	// What an evaluation allocates is garbage soon: more of it costs less time than
	// collecting all the while, as long as it stays in bounds.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(700 << 20)
	os.Exit(m.Run())
}
