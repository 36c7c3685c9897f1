package rendered

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// definition is a CustomResourceDefinition of the tree.
type definition struct {
	gk         groupKind
	namespaced bool
	served     []string
	doc        *document
}

func newDefinition(d *document) *definition {
	c := &definition{
		gk:         groupKind{text(d.object, "spec", "group"), text(d.object, "spec", "names", "kind")},
		namespaced: text(d.object, "spec", "scope") == "Namespaced",
		doc:        d,
	}
	for _, entry := range list(d.object, "spec", "versions") {
		if version, _ := entry.(map[string]any); truth(version, "served") {
			c.served = append(c.served, text(version, "name"))
		}
	}
	return c
}

// foundBy is the Application that applies a definition.
func (t *tree) foundBy(c *definition) *application {
	for _, a := range t.applications {
		for _, r := range a.resources {
			if r.gk().kind == "CustomResourceDefinition" && r.name() == text(c.doc.object, "metadata", "name") {
				return a
			}
		}
	}
	return nil
}

// ofKubernetes tells whether a group is one that the API server has by itself, or Argo
// CD's, which is there before any tree.
func (t *tree) ofKubernetes(group string) bool {
	return group == argoGroup || slices.Contains(t.known.kubernetes.Groups, group)
}

// skipsDryRun tells whether Argo CD syncs an object before its kind is there.
func (a *application) skipsDryRun(r *resource) bool {
	const option = "SkipDryRunOnMissingResource=true"
	set := r.annotation("argocd.argoproj.io/sync-options")
	return a.has(option) || slices.ContainsFunc(strings.Split(set, ","), func(s string) bool { return strings.TrimSpace(s) == option })
}

// charts tells whether an Application brings a kind by a chart, and whether it has
// charts of which nobody knows what they bring.
func (t *tree) charts(a *application, gk groupKind) (brings, unknown bool) {
	for _, s := range a.sources {
		index := t.indexOf(s)
		if index == nil {
			unknown = unknown || text(s.object, "chart") != "" || !s.here && text(s.object, "ref") == ""
			continue
		}
		for _, c := range index.CRDs {
			brings = brings || c.Group == gk.group && c.Kind == gk.kind
		}
	}
	return brings, unknown
}

// definitions checks that the kind of each object is there when it is applied.
func (t *tree) definitions() {
	for _, a := range t.applications {
		said := map[groupKind]bool{}
		for _, r := range a.resources {
			gk := r.gk()
			if gk.kind == "" || t.ofKubernetes(gk.group) || said[gk] {
				continue
			}
			if c := t.crds[gk]; c != nil {
				_, version, _ := strings.Cut(r.text("apiVersion"), "/")
				if !slices.Contains(c.served, version) {
					said[gk] = true
					x := t.add(unservedVersion.At(r.at("apiVersion"), "", "%s is of version %s, which its CRD does not serve", r, version))
					x.Fix = "write " + strings.Join(c.served, " or ")
					x.Also = also("the CRD", c.doc.at("spec", "versions"))
					continue
				}
				if owner := t.foundBy(c); owner == a || a.skipsDryRun(r) {
					continue
				}
				said[gk] = true
				x := t.add(missingDefinition.At(r.at("kind"), "", "the CRD of %s, which %s applies, is another Application's", r, a))
				x.Also = also("the CRD", c.doc.at("metadata", "name"))
				continue
			}
			here, open := t.charts(a, gk)
			if here || open || a.skipsDryRun(r) {
				continue
			}
			said[gk] = true
			anywhere := false
			for _, b := range t.applications {
				brings, unknown := t.charts(b, gk)
				anywhere = anywhere || brings || unknown
			}
			if anywhere {
				t.add(missingDefinition.At(r.at("kind"), "", "nothing in %s brings the CRD of %s", a, r))
			} else {
				t.add(missingDefinition.At(r.at("kind"), "", "nothing in the tree brings the CRD of %s", r)).Fix = "render its CRD, or the chart that has it; if the cluster has it, say so by SkipDryRunOnMissingResource=true"
			}
		}
	}
}

const waveKey = "argocd.argoproj.io/sync-wave"

// waves checks the sync waves of objects.
func (t *tree) waves() {
	for _, a := range t.applications {
		at := func(r *resource) (int, bool) {
			raw := value(r.object, "metadata", "annotations", waveKey)
			switch raw := raw.(type) {
			case nil:
				return 0, true
			case string:
				n, err := strconv.Atoi(raw)
				return n, err == nil
			}
			return 0, false
		}
		waves := map[string]int{}
		for _, r := range a.resources {
			n, ok := at(r)
			if !ok || r.doc != nil && unquoted(r.doc) {
				where := r.at("metadata", "annotations", waveKey)
				t.add(badWave.At(where, "", "the sync wave of %s is no quoted integer", r))
			}
			waves[r.gk().String()+"/"+r.name()] = n
		}
		for _, r := range a.resources {
			c := t.crds[r.gk()]
			n, _ := at(r)
			if c == nil || t.foundBy(c) != a {
				continue
			}
			if first, ok := waves["CustomResourceDefinition.apiextensions.k8s.io/"+text(c.doc.object, "metadata", "name")]; ok && n < first {
				t.add(badWave.At(r.at("metadata", "annotations", waveKey), "", "%s is in wave %d, before its CRD in wave %d", r, n, first)).Also = also("the CRD", c.doc.at("metadata", "annotations", waveKey))
			}
			if ns := r.text("metadata", "namespace"); ns != "" {
				if first, ok := waves["Namespace/"+ns]; ok && n < first {
					t.add(badWave.At(r.at("metadata", "annotations", waveKey), "", "%s is in wave %d, before its Namespace in wave %d", r, n, first))
				}
			}
		}
	}
}

// unquoted tells whether a document's wave is written as a number, which kustomize
// quotes, and a directory without one does not.
func unquoted(d *document) bool {
	n := d.node
	for _, key := range []string{"metadata", "annotations", waveKey} {
		_, v := child(n, key)
		if v == nil {
			return false
		}
		n = v
	}
	return n.Kind == yaml.ScalarNode && n.Tag == "!!int"
}
