package generators

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/argocd"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

// meta is what the inventory records: what must not vanish from the tree unasked,
// and what Argo CD would make of it.
func meta(p *plan.Plan, site string) tree.Meta {
	m := tree.Meta{Cluster: p.Name, Version: Version, Site: site}
	if p.GitOps.Flux != nil {
		m.Guarded = guardedOfFlux(p)
		return m
	}
	keep := p.GitOps.ArgoCD.Deletion == "keep"
	cluster := tree.Guarded{Kind: "Cluster", Name: p.Name, Prunes: "Argo CD deletes every Application of that name with all that it made"}
	if keep {
		cluster.Prunes = "the Applications of that name go, what they made stays, and those of the new name take it over once the old ones are gone"
	}
	m.Guarded = append(m.Guarded, cluster)
	if !keep {
		// Where nothing is deleted with an Application, one layout takes over from the other.
		m.Guarded = append(m.Guarded, tree.Guarded{
			Kind: "Layout", Name: p.GitOps.ArgoCD.Layout,
			Prunes: "Argo CD deletes the Applications of this layout, with all that they made, while the other layout makes them anew; let gitops.argocd.deletion be \"keep\" until the layout has changed",
		})
	}
	for _, c := range p.Components {
		namespaces := namespacesOf(c)
		for _, name := range namespaces {
			m.Guarded = append(m.Guarded, tree.Guarded{
				Kind: "Namespace", Name: name, In: c.Name,
				Prunes: "once somebody confirms it, Argo CD deletes the Namespace with all that is in it",
			})
		}
		var crds []string
		if c.Index != nil {
			for _, crd := range c.Index.CRDs {
				crds = append(crds, crd.Name)
			}
		}
		slices.Sort(crds)
		component := tree.Guarded{Kind: "Component", Name: c.Name, Prunes: deleted(namespaces, crds)}
		if len(crds) > 0 {
			component.Kind = "CRDOwner"
		}
		if keep {
			component.Prunes = leftBehind(argocd.ApplicationName(p, c), namespaces, crds)
		}
		m.Guarded = append(m.Guarded, component)
	}
	if p.GitOps.ArgoCD.Project.Create {
		m.Project = argocd.Allowed(p)
	}
	return m
}

// guardedOfFlux is what must not vanish unasked where Flux reconciles the tree. It has no
// project that could narrow, and never deletes the tree's Namespaces.
func guardedOfFlux(p *plan.Plan) []tree.Guarded {
	gone := "Flux uninstalls the release and deletes the objects beside it"
	if p.GitOps.Flux.Deletion == "keep" {
		gone = "Flux leaves the HelmRelease, and what the Kustomization made, where they are, in nobody's hands"
	}
	out := []tree.Guarded{{Kind: "Cluster", Name: p.Name, Prunes: "of each component whose objects are called after it, " + gone}}
	for _, c := range p.Components {
		for _, name := range namespacesOf(c) {
			out = append(out, tree.Guarded{Kind: "Namespace", Name: name, In: c.Name, Prunes: "Flux leaves the Namespace where it is, in nobody's hands"})
		}
		component := tree.Guarded{Kind: "Component", Name: c.Name, Prunes: gone}
		switch {
		case c.Chart != nil:
		case p.GitOps.Flux.Deletion == "keep":
			component.Prunes = "Flux leaves what its Kustomization made where it is, in nobody's hands"
		default:
			component.Prunes = "Flux deletes what its Kustomization made"
		}
		if c.Index != nil && len(c.Index.CRDs) > 0 {
			component.Kind = "CRDOwner"
		}
		out = append(out, component)
	}
	return out
}

// namespacesOf are the Namespaces that a component brings, in their order.
func namespacesOf(c plan.Component) []string {
	var out []string
	for _, o := range c.Final() {
		if o["kind"] != "Namespace" {
			continue
		}
		metadata, _ := o["metadata"].(map[string]any)
		name, _ := metadata["name"].(string)
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// deleted says what becomes of a component whose Application has a finalizer.
func deleted(namespaces, crds []string) string {
	out := "Argo CD deletes what its Application made"
	if len(namespaces) > 0 {
		out += ", once somebody confirms it, with " + namespaceList(namespaces)
	}
	if len(crds) > 0 {
		out += "; its custom resources stay behind with nobody to finalize them"
	}
	return out
}

// leftBehind says what stays of a component whose Application has no finalizer,
// and what a person then deletes.
func leftBehind(application string, namespaces, crds []string) string {
	out := fmt.Sprintf("Argo CD removes Application %s, and all that it made stays and runs on, in nobody's hands. Delete by hand ", application)
	if len(crds) > 0 {
		out += "its custom resources first, then "
	}
	out += fmt.Sprintf("the objects whose annotation argocd.argoproj.io/tracking-id begins with %s:", application)
	if len(namespaces) > 0 {
		out += ", such as " + namespaceList(namespaces)
	}
	if len(crds) > 0 {
		out += ", last those of its CRDs that nothing else uses (" + strings.Join(crds, ", ") + ")"
	}
	return out
}

func namespaceList(names []string) string {
	if len(names) == 1 {
		return "Namespace " + names[0] + " with all that is in it"
	}
	return "the Namespaces " + strings.Join(names, ", ") + " with all that is in them"
}
