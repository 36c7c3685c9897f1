package generators

import (
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/fleet"
	"github.com/gpugen/gpugen/generators/rendered"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/generators/verify"
	"github.com/gpugen/gpugen/generators/worktree"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// CatalogueAt lists every kind of finding that gpugen has, with the rules of the site
// that an input belongs to, sorted by ID. Findings are about the site's files.
//
// An error is a defect of the knowledge base.
func CatalogueAt(in schema.Input) ([]schema.Rule, diag.List, error) {
	out, found, err := schema.CatalogueAt(in)
	if err != nil || found.HasErrors() {
		return nil, found, err
	}
	return withKinds(out), nil, nil
}

func withKinds(out []schema.Rule) []schema.Rule {
	for _, kind := range slices.Concat(rendered.Kinds, verify.Kinds, worktree.Kinds, fleet.Kinds, tree.Kinds) {
		out = append(out, schema.Rule{ID: kind.ID, Title: kind.Title, Severity: kind.Severity, Why: kind.Why, Fix: kind.Fix})
	}
	slices.SortFunc(out, func(a, b schema.Rule) int { return strings.Compare(a.ID, b.ID) })
	return out
}
