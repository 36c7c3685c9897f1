package verify

import "github.com/gpugen/gpugen/schema"

// IDs are the kinds of findings of this package.
var IDs = []schema.ID{
	{ID: "TREE-001", Title: "A name that is too long", Why: "Argo CD, Helm and the API server derive names from it that must stay within 63 characters.", Fix: "shorten the name of the cluster, or of the node pool in it"},
	{ID: "TREE-002", Title: "Two Applications of one name", Why: "The later one would replace the other.", Fix: "rename the node pool or the cluster"},
	{ID: "TREE-003", Title: "Two parts of the tree want one file", Why: "One would be lost.", Fix: "rename one of the node pools"},
	{ID: "TREE-005", Title: "A tree rendered where Argo CD does not look (warning)", Why: "Argo CD would not see what is rendered.", Fix: "set gitops.path to where the tree is, or render to gitops.path"},
	{ID: "TREE-004", Title: "One object in two Applications", Why: "Argo CD refuses an object in two Applications (FailOnSharedResource), or flips it for ever.", Fix: "give the components namespaces of their own"},
}
