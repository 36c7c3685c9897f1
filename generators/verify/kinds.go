package verify

import "github.com/gpugen/gpugen/schema/diag"

var (
	longName = diag.Kind{
		ID: "TREE-001", Severity: diag.Error,
		Title: "A name that is too long",
		Why:   "Names of Applications and values of labels end at 63 characters, names of Helm releases at 53.",
		Fix:   "shorten the name of the cluster",
	}
	sameApplication = diag.Kind{
		ID: "TREE-002", Severity: diag.Error,
		Title: "Two Applications of one name",
		Why:   "The later one would replace the other.",
		Fix:   "rename the node pool or the cluster",
	}
	sameFile = diag.Kind{
		ID: "TREE-003", Severity: diag.Error,
		Title: "Two parts of the tree want one file",
		Why:   "One would be lost.",
		Fix:   "rename one of the node pools",
	}
	sameObject = diag.Kind{
		ID: "TREE-004", Severity: diag.Error,
		Title: "One object twice in a tree",
		Why:   "Argo CD refuses an object in two Applications (FailOnSharedResource), or flips it for ever; in one, kustomize refuses it.",
		Fix:   "give the components namespaces of their own",
	}
	unfitPatch = diag.Kind{
		ID: "TREE-006", Severity: diag.Error,
		Title: "A patch that does not fit",
		Why:   "kustomize would refuse the directory, or the patch would have no effect, in silence.",
		Fix:   "correct the patch or its target; gpugen's objects of the component are in its directory of the tree",
	}
	unmatchedDifference = diag.Kind{
		ID: "TREE-007", Severity: diag.Warning,
		Title: "Differences of objects that are not there",
		Why:   "Argo CD compares what the Application renders; what is to be ignored is written for something else, and has no effect, in silence.",
		Fix:   "write group, kind and name as the rendered objects have them, and what is to be ignored; the core group is \"\"",
	}
	unreadableDifference = diag.Kind{
		ID: "TREE-008", Severity: diag.Error,
		Title: "A jq expression that Argo CD cannot read",
		Why:   "Argo CD compiles it before it compares anything: the whole Application stays in ComparisonError, and nothing of it is synced.",
		Fix:   "write a jq path, such as .spec.replicas",
	}
	noValue = diag.Kind{
		ID: "TREE-009", Severity: diag.Error,
		Title: "A value that the tree sets and the chart version does not have",
		Why:   "Helm passes over it, so that the cluster would not be what the spec says. gpugen's templates know the version only by one that it is like.",
		Fix:   "use the version that it is like, or write into the spec what brings no such value",
	}
)

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{longName, sameApplication, sameFile, sameObject, unfitPatch, unmatchedDifference, unreadableDifference, noValue}
