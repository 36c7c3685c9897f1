package argocd

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema/chartindex"
)

// groupKind is a kind that a project allows; "*" is any group.
type groupKind struct{ group, kind string }

// needs is what a project must allow.
type needs struct {
	repos      map[string]bool
	namespaces map[string]bool
	cluster    map[groupKind]bool
	namespaced map[groupKind]bool
}

func noNeeds() needs {
	return needs{repos: map[string]bool{}, namespaces: map[string]bool{}, cluster: map[groupKind]bool{}, namespaced: map[groupKind]bool{}}
}

// Project is the AppProject of the cluster's components: the repositories,
// namespaces and kinds that they need, and nothing else.
func Project(p *plan.Plan) map[string]any {
	n := noNeeds()
	n.repos[p.GitOps.RepoURL] = true
	for _, c := range p.Components {
		n.component(c)
	}
	n.also(p.GitOps.ArgoCD.Project.AlsoAllow)
	destinations := []any{}
	for _, namespace := range slices.Sorted(maps.Keys(n.namespaces)) {
		d := destination(p, namespace)
		if server, ok := d["server"].(string); ok {
			d["server"] = literally(server)
		}
		destinations = append(destinations, d)
	}
	spec := object{
		"description":                "GPU platform of cluster " + p.Name,
		"sourceRepos":                slices.Sorted(maps.Keys(n.repos)),
		"destinations":               destinations,
		"clusterResourceWhitelist":   allowed(n.cluster),
		"namespaceResourceWhitelist": allowed(n.namespaced),
	}
	if windows := syncWindows(p); len(windows) > 0 {
		spec["syncWindows"] = windows
	}
	return object{
		"apiVersion": "argoproj.io/v1alpha1",
		"kind":       "AppProject",
		"metadata": object{
			"name":      p.GitOps.ArgoCD.Project.Name,
			"namespace": p.GitOps.ArgoCD.Namespace,
			"labels":    object{plan.LabelCluster: p.Name},
			// The Applications are refused until their project is there.
			"annotations": object{waveAnnotation: "-10"},
		},
		"spec": spec,
	}
}

// literally is a server's URL as a pattern for itself: Argo CD reads a project's servers as
// globs (util/glob/glob.go, github.com/gobwas/glob), in which the brackets of an
// IPv6 address are a class of characters.
func literally(server string) string {
	return strings.NewReplacer("[", `\[`, "]", `\]`).Replace(server)
}

// syncWindows are those of the spec, with the Applications of the components that each is
// for.
func syncWindows(p *plan.Plan) []any {
	var out []any
	for _, w := range p.GitOps.ArgoCD.Project.SyncWindows {
		applications := []string{"*"}
		if w.Components != nil {
			applications = nil
			for _, c := range p.Components {
				if slices.Contains(w.Components, c.Of) {
					applications = append(applications, ApplicationName(p, c))
				}
			}
		}
		window := object{
			"kind": w.Kind, "schedule": w.Schedule, "duration": w.Duration, "timeZone": w.TimeZone,
			"applications": applications, "manualSync": w.ManualSync,
		}
		if w.Description != "" {
			window["description"] = w.Description
		}
		out = append(out, window)
	}
	return out
}

// component adds what one component needs: its own objects, and all that its
// chart can render.
func (n *needs) component(c plan.Component) {
	n.namespaces[c.Namespace] = true
	for _, o := range c.Final() {
		n.object(o)
	}
	if c.Chart == nil {
		return
	}
	n.repos[c.Chart.Repository] = true
	if c.Index == nil {
		// What a chart of the user's renders is not known.
		n.cluster[groupKind{"*", "*"}] = true
		n.namespaced[groupKind{"*", "*"}] = true
		return
	}
	project := c.Index.Project()
	for _, gk := range project.Cluster {
		n.cluster[toGroupKind(gk)] = true
	}
	for _, gk := range project.Namespaced {
		n.namespaced[toGroupKind(gk)] = true
	}
	for _, gk := range project.Unscoped {
		n.cluster[toGroupKind(gk)] = true
		n.namespaced[toGroupKind(gk)] = true
	}
	for _, namespace := range project.Namespaces {
		// A namespace that the chart computes is the release's, unless values move
		// it; the whole cluster is never meant.
		if namespace != "*" {
			n.namespaces[namespace] = true
		}
	}
	for _, path := range project.NamespacesFrom {
		if s, ok := lookup(c.Values, path).(string); ok && s != "" {
			n.namespaces[s] = true
		}
	}
	for _, d := range project.Dynamic {
		list, _ := lookup(c.Values, d.Path).([]any)
		for _, entry := range list {
			if o, ok := entry.(map[string]any); ok {
				n.object(o)
			}
		}
	}
}

// also adds what the spec allows besides, whatever the scope of its kinds.
func (n *needs) also(allow plan.AlsoAllow) {
	for _, namespace := range allow.Namespaces {
		n.namespaces[namespace] = true
	}
	for _, name := range allow.Kinds {
		kind, group, _ := strings.Cut(name, ".")
		if kind == "*" {
			group = "*"
		}
		n.cluster[groupKind{group, kind}] = true
		n.namespaced[groupKind{group, kind}] = true
	}
}

func (n *needs) object(o map[string]any) {
	apiVersion, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)
	metadata, _ := o["metadata"].(map[string]any)
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		group = ""
	}
	if namespace, _ := metadata["namespace"].(string); namespace != "" {
		n.namespaces[namespace] = true
		n.namespaced[groupKind{group, kind}] = true
		return
	}
	n.cluster[groupKind{group, kind}] = true
}

func toGroupKind(gk chartindex.GroupKind) groupKind { return groupKind{gk.Group, gk.Kind} }

func lookup(values map[string]any, path []string) any {
	var v any = values
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func allowed(kinds map[groupKind]bool) []any {
	if kinds[groupKind{"*", "*"}] {
		return []any{object{"group": "*", "kind": "*"}}
	}
	list := slices.SortedFunc(maps.Keys(kinds), func(a, b groupKind) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.kind, b.kind))
	})
	out := []any{}
	for _, gk := range list {
		out = append(out, object{"group": gk.group, "kind": gk.kind})
	}
	return out
}
