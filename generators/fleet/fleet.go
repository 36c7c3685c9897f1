// Package fleet owns what several clusters of one repository must not share. It must
// not know what is in a tree, nor read or write.
package fleet

import (
	"path"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema/diag"
)

// Member is a cluster, as far as others may get in its way.
type Member struct {
	// Spec is the spec's path, as the user would type it.
	Spec   string
	Name   string
	GitOps plan.GitOps
	// NameAt and PathAt are where the spec says name and gitops.path.
	NameAt, PathAt diag.Position
}

// Check finds clusters whose trees would lie in each other's place, and those that
// would fight over Applications of one name.
func Check(members []Member) diag.List {
	var found diag.List
	for i, m := range members {
		for _, other := range members[:i] {
			switch {
			case m.GitOps.RepoURL == other.GitOps.RepoURL && m.GitOps.Revision == other.GitOps.Revision && path.Clean(m.GitOps.Path) == path.Clean(other.GitOps.Path):
				f := samePlace.At(m.PathAt, "gitops.path", "the trees of %s and %s would both lie at %s", other.Spec, m.Spec, m.GitOps.Path)
				f.Also = []diag.Place{{Position: other.PathAt, Path: "gitops.path"}}
				found.Add(f)
			case m.Name == other.Name:
				f := sameName.At(m.NameAt, "name", "%s and %s are both called %s", other.Spec, m.Spec, m.Name)
				f.Also = []diag.Place{{Position: other.NameAt, Path: "name"}}
				found.Add(f)
			}
		}
	}
	return found
}
