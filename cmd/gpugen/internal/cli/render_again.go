package cli

import (
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/remembered"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/generators/worktree"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// earlier is what an earlier run may have left to know about this one.
type earlier struct {
	flags *renderFlags
	store remembered.Store
	// seen is nil where nothing can be known.
	seen *schema.Seen
}

// remember finds out which input it is. Without a directory that is rendered to, or
// without a way to tell the input from others, nothing is known.
func (f *renderFlags) remember(in schema.Input) earlier {
	e := earlier{flags: f}
	if f.out == "" {
		return e
	}
	store, ok := f.store()
	if !ok {
		return e
	}
	if seen, ok := schema.Digest(in); ok {
		e.store, e.seen = store, seen
	}
	return e
}

// unchanged tells whether the directory holds what would be rendered. Then nothing
// needs to be evaluated: the findings are those of the earlier run, and where the
// tree lies in a work tree is looked at again.
func (e earlier) unchanged() (tree.Changes, diag.List, bool) {
	if e.seen == nil {
		return tree.Changes{}, nil, false
	}
	r, ok := e.store.Get(e.flags.out, e.seen.Digest)
	if !ok {
		return tree.Changes{}, nil, false
	}
	changes, ok := tree.Holds(e.flags.out, r.Inventory, e.flags.check)
	if !ok {
		return tree.Changes{}, nil, false
	}
	if r.ElsewhereWaived {
		return changes, r.Findings, true
	}
	return changes, append(r.Findings, worktree.Check(r.GitOps, e.flags.out, r.At)...), true
}

// keep remembers what was made of the input, for the next run.
func (e earlier) keep(result *generators.Result, findings diag.List) {
	if e.seen == nil {
		return
	}
	if !e.seen.Unchanged() {
		return
	}
	inventory, err := tree.InventoryHash(result.Tree, result.Meta)
	if err != nil {
		return
	}
	e.store.Put(e.flags.out, e.seen.Digest, remembered.Render{
		Inventory: inventory, Findings: findings, GitOps: result.Plan.GitOps, At: result.At("gitops", "path"),
		ElsewhereWaived: len(result.Waive(diag.List{worktree.Elsewhere(result.At("gitops", "path"))})) == 0,
	})
}

// nothingToDo ends a run whose tree is there already.
func (f *renderFlags) nothingToDo(s streams, changes tree.Changes, findings diag.List) error {
	if err := f.write(s.err, findings); err != nil || f.check {
		return err
	}
	f.summary(s, f.out, changes)
	return nil
}
