package rendered

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// fluxGroup ends the groups of Flux's kinds.
const fluxGroup = ".toolkit.fluxcd.io"

const (
	fluxRelease = "HelmRelease"
	fluxBuild   = "Kustomization"
)

// sortFlux keeps a document that is about Flux.
func (t *tree) sortFlux(d *document, kind string) {
	switch kind {
	case fluxRelease, fluxBuild:
		t.flux = append(t.flux, newReconciled(d, kind))
	case "GitRepository", "OCIRepository", "HelmRepository", "HelmChart", "Bucket", "ExternalArtifact":
		t.fluxSources[fluxKey(kind, text(d.object, "metadata", "namespace"), text(d.object, "metadata", "name"))] = d
	}
}

func fluxKey(kind, namespace, name string) string { return kind + "/" + namespace + "/" + name }

// newReconciled is an object of Flux's as what it would apply. Flux applies by the server,
// and to the cluster that a kubeconfig in a Secret leads to.
func newReconciled(d *document, kind string) *application {
	o := d.object
	a := &application{
		document: d, kind: kind,
		name: text(o, "metadata", "name"), namespace: text(o, "metadata", "namespace"),
		cluster: text(o, "spec", "kubeConfig", "secretRef", "name"),
		target:  text(o, "spec", "targetNamespace"),
		options: []string{"ServerSideApply=true"},
	}
	if kind == fluxRelease {
		a.open = true
		a.target = cmp.Or(a.target, a.namespace)
		if truth(o, "spec", "install", "createNamespace") {
			a.options = append(a.options, "CreateNamespace=true")
		}
	}
	return a
}

// sourceRef is what an object of Flux's takes its manifests from: the path of the field,
// and kind, namespace and name.
func (a *application) sourceRef() (at []any, kind, namespace, name string) {
	at = []any{"spec", "sourceRef"}
	if a.kind == fluxRelease {
		if at = []any{"spec", "chart", "spec", "sourceRef"}; value(a.object, "spec", "chart") == nil {
			at = []any{"spec", "chartRef"}
		}
	}
	var steps []string
	for _, step := range at {
		steps = append(steps, step.(string))
	}
	ref, _ := value(a.object, steps...).(map[string]any)
	return at, text(ref, "kind"), cmp.Or(text(ref, "namespace"), a.namespace), text(ref, "name")
}

// findFlux gives each Kustomization its directory as a source. Without a kustomization in
// it, Flux takes all manifests below.
func (t *tree) findFlux() {
	for _, a := range t.flux {
		_, kind, namespace, name := a.sourceRef()
		if a.kind != fluxBuild || kind != "GitRepository" {
			a.open = true
			continue
		}
		s := &appSource{path: []any{"spec"}, object: map[string]any{
			"path": cmp.Or(text(a.object, "spec", "path"), "."), "directory": map[string]any{"recurse": true},
		}}
		if d := t.fluxSources[fluxKey(kind, namespace, name)]; d != nil {
			s.repoURL = text(d.object, "spec", "url")
		}
		a.sources = append(a.sources, s)
	}
}

// reconciled judges what Flux makes of the tree.
func (t *tree) reconciled() {
	if len(t.flux) == 0 {
		return
	}
	// What goes for any set of objects with a destination goes for Flux's.
	applications := t.applications
	t.applications = t.flux
	for _, judge := range []func(*tree){(*tree).owners, (*tree).namespaces, (*tree).podSecurity, (*tree).sizes, (*tree).live} {
		judge(t)
	}
	t.applications = applications
	t.fluxPaths()
	t.fluxCharts()
	t.fluxNeeds()
	t.fluxCircles()
}

// fluxPaths checks that the directories of Kustomizations are there.
func (t *tree) fluxPaths() {
	for _, a := range t.flux {
		for _, s := range a.sources {
			if s.here && !t.isDir(s.dir) {
				x := t.add(noPath.At(a.at("spec", "path"), "", "%s reads %s, which is not there", a, text(s.object, "path")))
				x.Why = "kustomize-controller answers \"kustomization path not found\", and applies nothing."
			}
		}
	}
}

// fluxCharts checks HelmReleases, and where their charts come from.
func (t *tree) fluxCharts() {
	releases := map[string]*application{}
	for _, a := range t.flux {
		if a.kind != fluxRelease {
			continue
		}
		chart, ref := value(a.object, "spec", "chart"), value(a.object, "spec", "chartRef")
		switch {
		case chart == nil && ref == nil:
			t.add(badRelease.At(a.at("spec"), "", "%s has neither chart nor chartRef", a)).Fix = "add one of the two"
			continue
		case chart != nil && ref != nil:
			t.add(badRelease.At(a.at("spec", "chartRef"), "", "%s has chart and chartRef", a))
			continue
		}
		target := text(a.object, "spec", "targetNamespace")
		named := text(a.object, "spec", "releaseName")
		if named == "" {
			// Flux puts the namespace before the name where the two are apart.
			named = strings.TrimPrefix(target+"-"+a.name, "-")
		}
		key := strings.Join([]string{a.destination(), cmp.Or(text(a.object, "spec", "storageNamespace"), a.namespace), named}, "|")
		if other := releases[key]; other != nil {
			x := t.add(badRelease.At(a.at("metadata", "name"), "", "%s and %s are both of release %s", a, other, named))
			x.Fix, x.Also = "give each a releaseName of its own", also("the other one", other.at("metadata", "name"))
		}
		releases[key] = a
		at, kind, namespace, name := a.sourceRef()
		source := t.fluxSources[fluxKey(kind, namespace, name)]
		// GitRepositories and Buckets are often made beside the tree, before it.
		if source == nil && slices.Contains([]string{"HelmRepository", "OCIRepository", "HelmChart"}, kind) {
			t.add(noFluxSource.At(a.at(append(at, "name")...), "", "%s takes its chart from %s %s of namespace %s, which is not in the tree", a, kind, name, namespace))
		}
		switch version := text(a.object, "spec", "chart", "spec", "version"); {
		case kind == "HelmRepository" && !pinned.MatchString(version):
			x := t.add(openRevision.At(a.at("spec", "chart", "spec", "version"), "", "%s takes chart %s at %s", a, text(a.object, "spec", "chart", "spec", "chart"), cmp.Or(version, "any version")))
			x.Fix = "name one version in spec.chart.spec.version"
		case kind == "OCIRepository" && source != nil && text(source.object, "spec", "ref", "tag") == "" && text(source.object, "spec", "ref", "digest") == "":
			x := t.add(openRevision.At(source.at("spec", "ref"), "", "%s %s takes any version of a range, or the newest", kind, name))
			x.Fix = "name one version in spec.ref.tag, or a digest"
		}
	}
}

// fluxKinds are the objects of Flux's by kind, namespace and name.
func (t *tree) fluxKinds() map[string]*application {
	out := map[string]*application{}
	for _, a := range t.flux {
		out[fluxKey(a.kind, a.namespace, a.name)] = a
	}
	return out
}

// dependency is an entry of dependsOn.
type dependency struct {
	at   diag.Position
	key  string
	name string
}

func (a *application) dependencies() []dependency {
	var out []dependency
	for i, entry := range list(a.object, "spec", "dependsOn") {
		d, _ := entry.(map[string]any)
		name := text(d, "name")
		out = append(out, dependency{a.at("spec", "dependsOn", i, "name"), fluxKey(a.kind, cmp.Or(text(d, "namespace"), a.namespace), name), name})
	}
	return out
}

// fluxNeeds checks that what is waited for is in the tree.
func (t *tree) fluxNeeds() {
	there := t.fluxKinds()
	for _, a := range t.flux {
		for _, d := range a.dependencies() {
			if there[d.key] != nil {
				continue
			}
			x := t.add(dependsOnNothing.At(d.at, "", "%s waits for %s %s, which is not in the tree", a, a.kind, d.name))
			for _, other := range []string{fluxRelease, fluxBuild} {
				if there[strings.Replace(d.key, a.kind, other, 1)] != nil {
					x.Fix = fmt.Sprintf("a %s waits for others of its kind only, and %s is a %s: name what comes with it, or check its health", a.kind, d.name, other)
				}
			}
		}
		for i, entry := range list(a.object, "spec", "healthChecks") {
			c, _ := entry.(map[string]any)
			kind, name := text(c, "kind"), text(c, "name")
			if strings.Contains(text(c, "apiVersion"), fluxGroup) && a.cluster == "" && (kind == fluxRelease || kind == fluxBuild) &&
				there[fluxKey(kind, text(c, "namespace"), name)] == nil {
				t.add(dependsOnNothing.At(a.at("spec", "healthChecks", i, "name"), "", "%s waits for the health of %s %s, which is not in the tree", a, kind, name))
			}
		}
	}
}

// fluxCircles checks that nothing waits for itself, by way of others or not.
func (t *tree) fluxCircles() {
	there := t.fluxKinds()
	const entered, left = 1, 2
	state := map[*application]int{}
	var visit func(a *application, above []string)
	visit = func(a *application, above []string) {
		state[a] = entered
		above = append(above, a.name)
		for _, d := range a.dependencies() {
			next := there[d.key]
			switch {
			case next == nil || state[next] == left:
			case state[next] == entered:
				circle := append(above[slices.Index(above, next.name):], next.name)
				t.add(dependsInCircle.At(d.at, "", "%s wait for each other: %s", a.kind+"s", strings.Join(circle, ", ")))
			default:
				visit(next, slices.Clone(above))
			}
		}
		state[a] = left
	}
	for _, a := range t.flux {
		if state[a] == 0 {
			visit(a, nil)
		}
	}
}
