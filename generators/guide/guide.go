// Package guide prints what people read in a tree: the pages that templates hold
// as data, and the node labels that somebody has to set. It must not hold facts,
// nor sentences of its own.
package guide

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

// Write adds the guides to the tree.
//
// An error is a defect of the templates.
func Write(t *tree.Tree, p *plan.Plan, header string) error {
	for _, name := range slices.Sorted(maps.Keys(p.Guide)) {
		w := writer{tree: func(name string) (plan.Block, error) { return ofTree(p, name) }}
		if err := w.page(p.Guide[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		t.Add(name, w.Bytes())
	}
	if len(p.RequiredLabels) == 0 {
		return nil
	}
	return t.AddYAML("required-node-labels.yaml", header, p.RequiredLabels)
}
