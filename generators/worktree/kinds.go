package worktree

import "github.com/gpugen/gpugen/schema/diag"

var elsewhere = diag.Kind{
	ID: "TREE-005", Severity: diag.Warning,
	Title: "A tree rendered where Argo CD does not look",
	Why:   "Argo CD would not see what is rendered.",
	Fix:   "set gitops.path to where the tree is, or render to gitops.path",
}

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{elsewhere}
