package fleet

import "github.com/gpugen/gpugen/schema/diag"

var (
	samePlace = diag.Kind{
		ID: "FLEET-001", Severity: diag.Error,
		Title: "Two clusters render into one place",
		Why:   "Each render would take the other cluster's files for its own and delete them, and Argo CD would follow.",
		Fix:   "give each cluster a gitops.path of its own, such as clusters/NAME/tree",
	}
	sameName = diag.Kind{
		ID: "FLEET-002", Severity: diag.Warning,
		Title: "Two clusters of one name",
		Why:   "name prefixes the names of Applications and of the AppProject. In one Argo CD the clusters would take them from each other.",
		Fix:   "give each cluster a name of its own; if each has an Argo CD of its own, judge them one by one",
	}
)

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{samePlace, sameName}
