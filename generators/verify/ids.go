package verify

import "github.com/gpugen/gpugen/schema"

// IDs are the kinds of findings of this package.
var IDs = []schema.ID{
	{ID: "TREE-001", Title: "A name that is too long", Why: "Argo CD, Helm and the API server derive names from it that must stay within 63 characters.", Fix: "shorten the name of the cluster, or of the node pool in it"},
	{ID: "TREE-002", Title: "Two Applications of one name", Why: "The later one would replace the other.", Fix: "rename the node pool or the cluster"},
	{ID: "TREE-003", Title: "Two parts of the tree want one file", Why: "One would be lost.", Fix: "rename one of the node pools"},
	{ID: "TREE-004", Title: "One object twice in a tree", Why: "Argo CD refuses an object in two Applications (FailOnSharedResource), or flips it for ever; in one, kustomize refuses it.", Fix: "give the components namespaces of their own"},
	{ID: "TREE-005", Title: "A tree rendered where Argo CD does not look (warning)", Why: "Argo CD would not see what is rendered.", Fix: "set gitops.path to where the tree is, or render to gitops.path"},
	{ID: "TREE-006", Title: "A patch that does not fit", Why: "kustomize would refuse the directory, or the patch would have no effect, in silence.", Fix: "correct the patch or its target; gpugen's objects of the component are in its directory of the tree"},
	{ID: "ARGO-001", Title: "An Application without server-side apply", Why: "A client-side apply keeps the whole object in an annotation, which ends at 262144 bytes: CRDs of Kueue and KAI are larger, and never arrive.", Fix: "this is a defect of gpugen: report it with the spec that shows it"},
	{ID: "ARGO-002", Title: "An Application without server-side diff", Why: "Fields that a CRD defaults, such as cdi.default of ClusterPolicy, would be OutOfSync for ever.", Fix: "this is a defect of gpugen: report it with the spec that shows it"},
	{ID: "ARGO-004", Title: "A Helm hook among the objects of a tree", Why: "Argo CD before 3.3 applies a pre-delete hook like any object, and so does kubectl apply: a cleanup Job would run at once.", Fix: "this is a defect of gpugen: report it with the spec that shows it"},
}
