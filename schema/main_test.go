package schema

import (
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
