package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/generators/fleet"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/generators/worktree"
)

// runFleet renders every cluster below a directory. All are judged before any is
// written: what a base brings about comes to all of them or to none.
func (f *renderFlags) runFleet(cmd *cobra.Command, s streams, args []string) error {
	if f.out == "" {
		return &usageError{"several clusters need -o DIR, the root of the repository, below which gitops.path of each leads; `gpugen render " + args[0] + " -o .`"}
	}
	specs, findings := expand(args)
	memory := f.fleetMemory(cmd.Context(), s, f.store, specs)
	verdicts, err := judgeFleet(cmd.Context(), s, f.written(cmd), withTrees, memory, func(r *outcome) bool {
		var held bool
		r.Held, held = tree.Holds(f.outOf(r), r.Inventory, f.check)
		return held
	})
	if err != nil {
		return err
	}
	memory.keep(verdicts)
	for _, v := range verdicts {
		findings = append(findings, v.Findings...)
	}
	findings = append(findings, fleet.Check(members(verdicts))...)
	for _, v := range verdicts {
		if r := v.Rendered; r != nil && !r.ElsewhereWaived {
			findings = append(findings, worktree.Check(r.GitOps, f.outOf(r), r.PathAt)...)
		}
	}
	if findings.HasErrors() || f.strict && len(findings) > 0 {
		return f.write(s.err, findings)
	}
	var written []func()
	for _, v := range verdicts {
		out, t, meta := f.outOf(v.Rendered), v.Rendered.tree(), v.Rendered.Meta
		if v.Rendered.Inventory != "" {
			// It is there already.
			if !f.check {
				written = append(written, func() { f.summary(s, out, v.Rendered.Held) })
			}
			continue
		}
		if f.check {
			_, drift := tree.Compare(out, t, meta)
			findings = append(findings, drift...)
			continue
		}
		changes, refused := tree.Write(cmd.Context(), out, t, meta, tree.Options{Force: f.force, AllowPrune: f.allowPrune})
		findings = append(findings, refused...)
		if !refused.HasErrors() {
			written = append(written, func() { f.summary(s, out, changes) })
		}
	}
	failed := f.write(s.err, findings)
	for _, summary := range written {
		summary()
	}
	return failed
}

// outOf is where a cluster of a fleet is rendered to.
func (f *renderFlags) outOf(r *outcome) string {
	return filepath.Join(f.out, filepath.FromSlash(r.GitOps.Path))
}

// tree is the tree as it was in the process that rendered it.
func (r *outcome) tree() *tree.Tree {
	t := &tree.Tree{}
	for _, file := range r.Tree {
		if file.Yields {
			t.Offer(file.Path, file.Data)
		} else {
			t.Add(file.Path, file.Data)
		}
	}
	return t
}
