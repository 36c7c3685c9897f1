package argocd

import (
	"maps"
	"slices"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

// Allowed is what the AppProject allows and why, for the inventory.
func Allowed(p *plan.Plan) *tree.Project {
	also := p.GitOps.ArgoCD.Project.AlsoAllow
	out := &tree.Project{
		Name:     p.GitOps.ArgoCD.Project.Name,
		Cascades: p.GitOps.ArgoCD.Deletion != "keep",
		Needs:    map[string]tree.Needs{},
		Also:     tree.Needs{Namespaces: also.Namespaces, Kinds: also.Kinds},
	}
	for _, c := range p.Components {
		n := noNeeds()
		n.component(c)
		kinds := map[string]bool{}
		for _, set := range []map[groupKind]bool{n.cluster, n.namespaced} {
			for gk := range set {
				kinds[gk.String()] = true
			}
		}
		out.Needs[c.Name] = tree.Needs{Namespaces: slices.Sorted(maps.Keys(n.namespaces)), Kinds: slices.Sorted(maps.Keys(kinds))}
	}
	return out
}

// String is how kubectl writes it.
func (gk groupKind) String() string {
	if gk.group == "" || gk.kind == "*" {
		return gk.kind
	}
	return gk.kind + "." + gk.group
}
