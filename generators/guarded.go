package generators

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/argocd"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/schema"
)

// meta is what the inventory records: what must not vanish from the tree unasked,
// and what Argo CD would make of it.
func meta(p *plan.Plan, s *schema.Spec) tree.Meta {
	m := tree.Meta{Cluster: p.Name, Version: Version, Input: s.Hash()}
	guard := func(kind, name, prunes string) {
		m.Guarded = append(m.Guarded, tree.Guarded{Kind: kind, Name: name, Prunes: prunes})
	}
	keep := p.GitOps.ArgoCD.Deletion == "keep"
	if keep {
		guard("Cluster", p.Name, "the Applications of that name go, what they made stays, and those of the new name take it over once the old ones are gone")
	} else {
		guard("Cluster", p.Name, "Argo CD deletes every Application of that name with all that it made")
	}
	for _, c := range p.Components {
		for _, o := range c.Final() {
			if o["kind"] != "Namespace" {
				continue
			}
			metadata, _ := o["metadata"].(map[string]any)
			name, _ := metadata["name"].(string)
			prunes := "once somebody confirms it, Argo CD deletes the Namespace with all that is in it"
			if keep {
				prunes += fmt.Sprintf("; if component %s leaves as a whole, it and all that is in it stay and run on, until you delete them", c.Name)
			}
			guard("Namespace", name, prunes)
		}
		if c.Chart == nil {
			continue
		}
		kind, prunes := "Component", "Argo CD deletes what its chart made"
		var crds []string
		if c.Index != nil {
			for _, crd := range c.Index.CRDs {
				crds = append(crds, crd.Name)
			}
		}
		if len(crds) > 0 {
			kind = "CRDOwner"
			prunes += "; its custom resources stay behind with nobody to finalize them"
		}
		if keep {
			prunes = leftBehind(argocd.ApplicationName(p.Name, c.Name), crds)
		}
		guard(kind, c.Name, prunes)
	}
	return m
}

// leftBehind says what stays of a component whose Application has no finalizer,
// and what a person then deletes.
func leftBehind(application string, crds []string) string {
	out := fmt.Sprintf("Argo CD removes Application %s, and all that it made stays and runs on, in nobody's hands. Delete by hand ", application)
	if len(crds) > 0 {
		out += "its custom resources first, then "
	}
	out += fmt.Sprintf("the objects whose annotation argocd.argoproj.io/tracking-id begins with %s:", application)
	if len(crds) > 0 {
		slices.Sort(crds)
		out += ", last those of its CRDs that nothing else uses (" + strings.Join(crds, ", ") + ")"
	}
	return out
}
