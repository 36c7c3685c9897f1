package generators

import (
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/generators/verify"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// Catalogue lists every kind of finding that gpugen has, sorted by ID.
//
// An error is a defect of the knowledge base.
func Catalogue() ([]schema.Rule, error) {
	out, err := schema.Catalogue()
	if err != nil {
		return nil, err
	}
	for _, id := range verify.IDs {
		out = append(out, schema.Rule{ID: id.ID, Title: id.Title, Severity: diag.Error, Why: id.Why, Fix: id.Fix})
	}
	for _, id := range tree.Problems {
		out = append(out, schema.Rule{ID: id.ID, Title: id.Title, Severity: id.Severity, Why: id.Why, Fix: id.Fix})
	}
	slices.SortFunc(out, func(a, b schema.Rule) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}
