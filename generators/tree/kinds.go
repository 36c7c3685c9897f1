package tree

import "github.com/gpugen/gpugen/schema/diag"

var (
	kindBusy = diag.Kind{
		ID: "OUT-001", Severity: diag.Error, Fatal: true,
		Title: "another gpugen is writing this directory",
		Why:   "two runs at once would leave a tree that is neither the one nor the other",
		Fix:   "wait for the other run to end, then run again",
	}
	kindIO = diag.Kind{
		ID: "OUT-002", Severity: diag.Error, Fatal: true,
		Title: "the directory cannot be read or written",
		Why:   "a full disk or a missing right stops gpugen before it touches the tree, or makes it take back what it did",
		Fix:   "make room or give the right, then run again",
	}
	kindCancelled = diag.Kind{
		ID: "OUT-003", Severity: diag.Error, Fatal: true,
		Title: "interrupted before the tree was written",
		Why:   "an interrupted run leaves the old tree as it was",
		Fix:   "run again",
	}
	kindMixed = diag.Kind{
		ID: "OUT-004", Severity: diag.Error, Fatal: true,
		Title: "writing failed, and so did taking it back",
		Why:   "the tree holds old and new files; .gpugen/journal.json knows which, and all the data are still there",
		Fix:   "cure the cause in the message, then run gpugen render again: it finishes what the journal lists; do not commit the tree before",
	}
	kindPath = diag.Kind{
		ID: "OUT-005", Severity: diag.Error,
		Title: "a path that a tree may not have",
		Why:   "a file must stay inside the directory, out of .git and .gpugen, and be the same file on every file system",
		Fix:   "rename the component or object that this file is named after",
	}
	kindForeign = diag.Kind{
		ID: "OUT-006", Severity: diag.Error,
		Title: "a file is in the way that gpugen did not write",
		Why:   "gpugen never overwrites what others wrote unless told to",
		Fix:   "move the file away, or run with --force to replace it",
	}
	kindEdited = diag.Kind{
		ID: "OUT-007", Severity: diag.Error,
		Title: "a rendered file was changed since gpugen wrote it",
		Why:   "the change would be lost: rendered files are made from the spec alone",
		Fix:   "move the change into the spec (values or patches of the component) and restore the file, or run with --force to drop the change",
	}
	kindLink = diag.Kind{
		ID: "OUT-008", Severity: diag.Error,
		Title: "a symbolic link lies on the way to a rendered file",
		Why:   "a link can lead out of the directory, so gpugen follows none, not even with --force",
		Fix:   "replace the link by a directory or remove it",
	}
	kindInTheWay = diag.Kind{
		ID: "OUT-009", Severity: diag.Error,
		Title: "a directory is where a file belongs, or a file where a directory belongs",
		Why:   "making room would mean deleting what gpugen did not write, so it does not, not even with --force",
		Fix:   "move it away",
	}
	kindInventory = diag.Kind{
		ID: "OUT-010", Severity: diag.Error,
		Title: "the inventory cannot be used",
		Why:   "without .gpugen/inventory.json gpugen cannot tell its own files from those of others, nor what Argo CD would prune",
		Fix:   "restore .gpugen/inventory.json from version control, or run with --force, which writes it anew and keeps files of the old tree that are no longer rendered",
	}
	kindNewer = diag.Kind{
		ID: "OUT-018", Severity: diag.Error,
		Title: "the tree was rendered by a newer gpugen",
		Why:   "an older release does not know what the newer one put into the tree, and would take it out again",
		Fix:   "use the release that rendered the tree, or a newer one; to go back on purpose, run render with --force and read the diff",
	}
	kindPrune = diag.Kind{
		ID: "OUT-011", Severity: diag.Error,
		Title: "Something leaves the tree that the cluster still has",
		Why:   "what leaves a component is pruned at the next sync, together with all that hangs on it; a whole component that leaves under deletion keep stays on the cluster: everything runs on in nobody's hands, such as a device plugin beside the next one",
		Fix:   "put it back into the spec, or permit it with --allow-prune, and delete by hand what stays",
	}
	kindPending = diag.Kind{
		ID: "OUT-012", Severity: diag.Error,
		Title: "an earlier run was killed while it replaced files, or one is running now",
		Why:   "the tree holds old and new files; committing it would sync a mixture",
		Fix:   "run gpugen render on this directory: it finishes the earlier run first",
	}
	kindUnfinished = diag.Kind{
		ID: "OUT-013", Severity: diag.Error,
		Title: "an earlier run was killed, and what it began cannot be finished",
		Why:   "the journal in .gpugen or the data that belong to it were changed or removed since",
		Fix:   "restore the directory from version control and remove the journal, stage and undo in .gpugen, or run with --force to render over it",
	}
	kindMissing = diag.Kind{
		ID: "OUT-014", Severity: diag.Error,
		Title: "a rendered file is missing",
		Why:   "the directory is not what the spec renders to",
		Fix:   "run gpugen render on this directory and commit the result",
	}
	kindDiffers = diag.Kind{
		ID: "OUT-015", Severity: diag.Error,
		Title: "a rendered file is out of date",
		Why:   "the directory is not what the spec renders to",
		Fix:   "run gpugen render on this directory and commit the result",
	}
	kindExtra = diag.Kind{
		ID: "OUT-016", Severity: diag.Error,
		Title: "a file is left over from an earlier render",
		Why:   "the directory is not what the spec renders to",
		Fix:   "run gpugen render on this directory and commit the result",
	}
	kindNarrow = diag.Kind{
		ID: "OUT-017", Severity: diag.Error,
		Title: "The AppProject forgets what Argo CD has yet to delete",
		Why:   "Argo CD deletes nothing that its project does not allow: what left the tree would stay in the cluster, in silence",
		Fix:   "say in gitops.argocd.project.alsoAllow what shall be allowed until it is gone, or permit it with --allow-prune",
	}
)

// Kinds are the kinds of findings of this package, in the order of their IDs.
var Kinds = []diag.Kind{
	kindBusy, kindIO, kindCancelled, kindMixed, kindPath, kindForeign, kindEdited, kindLink,
	kindInTheWay, kindInventory, kindPrune, kindPending, kindUnfinished, kindMissing, kindDiffers, kindExtra, kindNarrow, kindNewer,
}
