package argocd

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/kustomize"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

// HealthDir holds the component that an administrator includes in the kustomization of
// Argo CD itself; no Application of the tree reads it.
const HealthDir = "argocd-health"

// writeHealth adds health checks of the kinds that the tree, and what its charts make, may
// have.
func writeHealth(t *tree.Tree, p *plan.Plan, header string) error {
	if len(p.Health) == 0 {
		return nil
	}
	n := noNeeds()
	made := map[string]bool{}
	for _, c := range p.Components {
		n.component(c)
		if c.Index != nil {
			for _, crd := range c.Index.CRDs {
				made[crd.Group+"_"+crd.Kind] = true
			}
		}
	}
	for _, kinds := range []map[groupKind]bool{n.cluster, n.namespaced} {
		for gk := range kinds {
			made[gk.group+"_"+gk.kind] = true
		}
	}
	data := object{}
	for _, kind := range slices.Sorted(maps.Keys(p.Health)) {
		if made[kind] {
			data["resource.customizations.health."+kind] = p.Health[kind]
		}
	}
	if len(data) == 0 {
		return nil
	}
	patch := object{
		"apiVersion": "v1",
		"kind":       "ConfigMap",
		"metadata":   object{"name": "argocd-cm", "namespace": p.GitOps.ArgoCD.Namespace},
		"data":       data,
	}
	if err := t.AddYAML(path.Join(HealthDir, "argocd-cm.yaml"), header, patch); err != nil {
		return err
	}
	component := object{
		"apiVersion": "kustomize.config.k8s.io/v1alpha1",
		"kind":       "Component",
		"patches":    []object{{"path": "argocd-cm.yaml", "target": object{"version": "v1", "kind": "ConfigMap", "name": "argocd-cm"}}},
	}
	include := header + "\n" + strings.Join([]string{
		"Include this in the kustomization of Argo CD itself:",
		"components:",
		"- " + p.GitOps.RepoURL + "//" + path.Join(p.GitOps.Path, HealthDir) + "?ref=" + p.GitOps.Revision,
	}, "\n")
	return t.AddYAML(path.Join(HealthDir, kustomize.FileName), include, component)
}
