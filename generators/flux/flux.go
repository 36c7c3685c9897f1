// Package flux turns a plan into Flux's objects: for each component a HelmRelease with
// its source, and a Kustomization of the objects beside it. It must not know what a
// component is for.
package flux

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/kustomize"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

// Dir holds Flux's objects in a tree; RootFile is the one file that a person applies.
const (
	Dir      = "flux"
	RootFile = "root.yaml"
)

// object is a Kubernetes manifest.
type object = map[string]any

// neverPruned keeps an object that leaves the tree.
const neverPruned = "kustomize.toolkit.fluxcd.io/prune"

// Adapted is the plan with objects as Flux takes them. Argo CD's annotations mean
// nothing here: what it would skip is left out, and what it would not prune without a
// person's word is not pruned at all.
func Adapted(p *plan.Plan) *plan.Plan {
	out := *p
	out.Components = slices.Clone(p.Components)
	for i := range out.Components {
		c := &out.Components[i]
		c.Objects, c.Patched = adapted(c.Objects), adapted(c.Patched)
	}
	return &out
}

func adapted(objects map[string]map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	for key, o := range objects {
		metadata, _ := o["metadata"].(map[string]any)
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations["argocd.argoproj.io/hook"] == "Skip" {
			continue
		}
		kept := map[string]any{}
		for name, value := range annotations {
			if !strings.HasPrefix(name, "argocd.argoproj.io/") {
				kept[name] = value
			}
		}
		options, _ := annotations["argocd.argoproj.io/sync-options"].(string)
		if strings.Contains(options, "Prune=confirm") || strings.Contains(options, "Prune=false") {
			kept[neverPruned] = "disabled"
		}
		o, metadata = maps.Clone(o), maps.Clone(metadata)
		delete(metadata, "annotations")
		if len(kept) > 0 {
			metadata["annotations"] = kept
		}
		o["metadata"] = metadata
		out[key] = o
	}
	return out
}

// name of a component's objects of Flux.
func name(p *plan.Plan, component string) string { return p.Name + "-" + component }

// Write adds Flux's objects, and the kustomization that the root reads.
func Write(t *tree.Tree, p *plan.Plan, header string) error {
	var resources []string
	for _, c := range p.Components {
		var objects []object
		if c.Chart != nil {
			objects = append(objects, source(p, c), release(p, c))
		}
		if len(c.Objects) > 0 {
			objects = append(objects, kustomization(p, c))
		}
		for _, o := range objects {
			file := path.Join(Dir, strings.ToLower(o["kind"].(string))+"-"+c.Name+".yaml")
			if err := t.AddYAML(file, header, o); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			resources = append(resources, file)
		}
	}
	if err := t.AddYAML(RootFile, header+"\nApply this once: kubectl apply -f root.yaml", root(p)); err != nil {
		return err
	}
	return kustomize.WriteList(t, ".", resources, header)
}

func manifest(p *plan.Plan, apiVersion, kind, name string, labels object, spec object) object {
	labels[plan.LabelCluster] = p.Name
	return object{
		"apiVersion": apiVersion,
		"kind":       kind,
		"metadata":   object{"name": name, "namespace": p.GitOps.Flux.Namespace, "labels": labels},
		"spec":       spec,
	}
}

// kept has Flux leave an object where the tree no longer has it: a HelmRelease would take
// its release with it, and needs its source. A Kustomization goes, and leaves what it made
// by its deletionPolicy; without its directory it would fail for ever.
func kept(p *plan.Plan, o object) object {
	if p.GitOps.Flux.Deletion == "keep" {
		o["metadata"].(object)["annotations"] = object{neverPruned: "disabled"}
	}
	return o
}

// root reads the tree's own kustomization, which lists Flux's objects.
func root(p *plan.Plan) object {
	f := p.GitOps.Flux
	return manifest(p, "kustomize.toolkit.fluxcd.io/v1", "Kustomization", p.Name, object{}, object{
		"interval":       f.Interval,
		"retryInterval":  "1m",
		"timeout":        f.Timeout,
		"path":           "./" + p.GitOps.Path,
		"prune":          true,
		"sourceRef":      object{"kind": "GitRepository", "name": f.GitRepository},
		"deletionPolicy": deletionPolicy(p),
	})
}

func deletionPolicy(p *plan.Plan) string {
	if p.GitOps.Flux.Deletion == "keep" {
		return "Orphan"
	}
	return "Delete"
}

// source of a chart: the chart itself in a registry, or the repository that has it.
func source(p *plan.Plan, c plan.Component) object {
	labels := object{plan.LabelComponent: c.Of}
	if oci(c) {
		return kept(p, manifest(p, "source.toolkit.fluxcd.io/v1", "OCIRepository", name(p, c.Name), labels, object{
			"interval": p.GitOps.Flux.Interval,
			"url":      "oci://" + path.Join(strings.TrimPrefix(c.Chart.Repository, "oci://"), c.Chart.Name),
			// A registry takes no plus sign in a tag.
			"ref":           object{"tag": strings.ReplaceAll(c.Chart.Version, "+", "_")},
			"layerSelector": object{"mediaType": "application/vnd.cncf.helm.chart.content.v1.tar+gzip", "operation": "copy"},
		}))
	}
	return kept(p, manifest(p, "source.toolkit.fluxcd.io/v1", "HelmRepository", name(p, c.Name), labels, object{
		"interval": p.GitOps.Flux.Interval,
		"url":      c.Chart.Repository,
	}))
}

func oci(c plan.Component) bool {
	return c.Chart.OCI || !strings.Contains(c.Chart.Repository, "://") || strings.HasPrefix(c.Chart.Repository, "oci://")
}

// release of a component's chart.
func release(p *plan.Plan, c plan.Component) object {
	f := p.GitOps.Flux
	// What failed is tried again for ever, and never taken away in between.
	again := object{"name": "RetryOnFailure", "retryInterval": "1m"}
	spec := object{
		"interval":         f.Interval,
		"timeout":          f.Timeout,
		"releaseName":      c.ReleaseName,
		"targetNamespace":  c.Namespace,
		"storageNamespace": c.Namespace,
		// The Namespace is the tree's, with its Pod Security level.
		"install":        object{"crds": "Create", "createNamespace": false, "strategy": again},
		"upgrade":        object{"crds": "CreateReplace", "strategy": again},
		"driftDetection": drift(p, c),
		"values":         c.Values,
	}
	if oci(c) {
		spec["chartRef"] = object{"kind": "OCIRepository", "name": name(p, c.Name)}
	} else {
		spec["chart"] = object{"spec": object{
			"chart": c.Chart.Name, "version": c.Chart.Version, "interval": f.Interval,
			"sourceRef": object{"kind": "HelmRepository", "name": name(p, c.Name)},
		}}
	}
	charted := func(c plan.Component) bool { return c.Chart != nil }
	if needs := needed(p, c, charted); len(needs) > 0 {
		spec["dependsOn"] = needs
	}
	elsewhere(p, spec)
	return kept(p, manifest(p, "helm.toolkit.fluxcd.io/v2", "HelmRelease", name(p, c.Name), object{plan.LabelComponent: c.Of}, spec))
}

// drift says what is undone, and what other controllers may write.
func drift(p *plan.Plan, c plan.Component) object {
	out := object{"mode": p.GitOps.Flux.DriftDetection}
	var ignore []any
	for _, d := range append(slices.Clone(c.Chart.IgnoreDifferences), c.ArgoCD.IgnoreDifferences...) {
		pointers, _ := d["jsonPointers"].([]any)
		if len(pointers) == 0 {
			// Fields that the release does not have, such as a caBundle that somebody fills
			// in, are no drift to Flux.
			continue
		}
		target := object{}
		for _, key := range []string{"group", "kind", "name", "namespace"} {
			if s, _ := d[key].(string); s != "" {
				target[key] = s
			}
		}
		ignore = append(ignore, object{"paths": pointers, "target": target})
	}
	if len(ignore) > 0 {
		out["ignore"] = ignore
	}
	return out
}

// kustomization of the objects beside a chart. It is ready once they and the release are,
// so that what needs the component can wait for it.
func kustomization(p *plan.Plan, c plan.Component) object {
	f := p.GitOps.Flux
	spec := object{
		"interval":       f.Interval,
		"retryInterval":  "1m",
		"timeout":        f.Timeout,
		"path":           "./" + path.Join(p.GitOps.Path, c.Name),
		"prune":          true,
		"sourceRef":      object{"kind": "GitRepository", "name": f.GitRepository},
		"deletionPolicy": deletionPolicy(p),
	}
	checks, expressions := health(p, c)
	if c.Chart != nil && f.KubeConfigSecret == "" {
		checks = append([]object{{"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "name": name(p, c.Name), "namespace": f.Namespace}}, checks...)
	}
	if len(checks) > 0 {
		spec["healthChecks"] = checks
	}
	if len(expressions) > 0 {
		spec["healthCheckExprs"] = expressions
	}
	objects := func(c plan.Component) bool { return len(c.Objects) > 0 }
	if needs := needed(p, c, objects); len(needs) > 0 {
		spec["dependsOn"] = needs
	}
	elsewhere(p, spec)
	return manifest(p, "kustomize.toolkit.fluxcd.io/v1", "Kustomization", name(p, c.Name), object{plan.LabelComponent: c.Of}, spec)
}

// health checks of a component's objects whose kinds say how they are.
func health(p *plan.Plan, c plan.Component) (checks, expressions []object) {
	seen := map[string]bool{}
	objects := c.Final()
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		o := objects[key]
		apiVersion, _ := o["apiVersion"].(string)
		kind, _ := o["kind"].(string)
		group, _, _ := strings.Cut(apiVersion, "/")
		cel, ok := p.FluxHealth[group+"_"+kind]
		if !ok {
			continue
		}
		metadata, _ := o["metadata"].(map[string]any)
		check := object{"apiVersion": apiVersion, "kind": kind, "name": metadata["name"]}
		if namespace, ok := metadata["namespace"]; ok {
			check["namespace"] = namespace
		}
		checks = append(checks, check)
		if seen[group+kind] {
			continue
		}
		seen[group+kind] = true
		expression := object{"apiVersion": apiVersion, "kind": kind, "current": cel.Current}
		if cel.Failed != "" {
			expression["failed"] = cel.Failed
		}
		expressions = append(expressions, expression)
	}
	return checks, expressions
}

// needed are the components that come first, of those that have such an object.
func needed(p *plan.Plan, c plan.Component, has func(plan.Component) bool) []object {
	var out []object
	for _, need := range c.Needs {
		for _, other := range p.Components {
			if other.Name == need && has(other) {
				out = append(out, object{"name": name(p, other.Name)})
			}
		}
	}
	return out
}

// elsewhere sends what is made to the workload cluster.
func elsewhere(p *plan.Plan, spec object) {
	if secret := p.GitOps.Flux.KubeConfigSecret; secret != "" {
		spec["kubeConfig"] = object{"secretRef": object{"name": secret}}
	}
}
