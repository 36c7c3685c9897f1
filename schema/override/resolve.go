// Package override owns what users change: the Helm values in a spec. It unifies
// them with what the templates derive, says which contradict it and why, and
// compares them with the chart's index. It must not run rules.
package override

import (
	"slices"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/shape"
	"github.com/gpugen/gpugen/schema/source"
)

// Resolve fills a spec into the knowledge base: the value is package rules with the
// spec and what follows from it. Overrides that contradict the spec become findings
// and are left out, leaf by leaf, so that the rules still see the rest. The value
// does not exist if the knowledge base does not evaluate. patched is what patches
// made of the objects of an earlier value of the same spec, or nil.
func Resolve(e *knowledge.Engine, schema *shape.Schema, s *source.Spec, patched knowledge.Patched) (cue.Value, diag.List) {
	r := &resolver{engine: e, schema: schema, spec: s, patched: patched}
	unreadable, o := r.checkTexts(overridesOf(e, s))
	root, findings := r.unify(o)
	return root, slices.Concat(unreadable, r.checkElements(), findings)
}

// resolver resolves one spec.
type resolver struct {
	engine *knowledge.Engine
	schema *shape.Schema
	spec   *source.Spec
	// patched are objects that patches changed.
	patched knowledge.Patched
}

// unify fills the spec and the user's values into the knowledge base.
func (r *resolver) unify(o *overrides) (cue.Value, diag.List) {
	root, err := r.fillWith(o)
	if err != nil {
		return cue.Value{}, diag.List{notEvaluated(err)}
	}
	bad := o.conflicts(root)
	if len(bad) == 0 && len(o.malformed) == 0 {
		return root, r.checkPaths(o, root, nil)
	}
	// Only now is the price of a second evaluation paid.
	base, err := r.fillWith(o.without())
	if err != nil {
		return cue.Value{}, diag.List{notEvaluated(err)}
	}
	findings, kept := r.explainConflicts(o, base)
	if root, err = r.fillWith(kept); err != nil {
		return cue.Value{}, append(findings, notEvaluated(err))
	}
	if left := kept.conflicts(root); len(left) > 0 {
		for _, leaf := range left {
			findings.Add(r.conflict(leaf, cue.Value{}, cue.Value{}, knowledge.Reasons{}))
		}
		root = base
	}
	return root, append(findings, r.checkPaths(o, root, findings)...)
}

func (r *resolver) fillWith(o *overrides) (cue.Value, error) {
	return r.engine.Fill(r.schema.Complete(o.data), o.lists, r.patched)
}

func notEvaluated(err error) diag.Finding {
	return knowledge.Defect("the knowledge base does not evaluate: %v", err)
}
