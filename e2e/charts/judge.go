package charts

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
)

// Options are what a judgement needs besides the tree.
type Options struct {
	// Charts are the unpacked charts.
	Charts Charts
	// Upstream is the directory of upstream data, for CRDs that no chart brings.
	Upstream string
	// Definitions are further files of CRDs.
	Definitions []string
	// KubeVersion counts where an Application does not set helm.kubeVersion.
	KubeVersion string
	// Invented says that charts that are not there are no problem: those of a site that
	// is only an example.
	Invented bool
}

// Report is what a judgement found.
type Report struct {
	// Problems would break the cluster or keep Argo CD from syncing.
	Problems []string
	// Notes are facts worth knowing: hooks, oddities of the charts themselves.
	Notes []string
	// Objects are those of the tree and of the charts, by key, with the values.
	Objects map[string]any
}

// piece is one object with the Application that brings it; the tree's own objects
// have none.
type piece struct {
	object  *unstructured.Unstructured
	release *examples.Release
}

func (p piece) origin() string {
	if p.release == nil {
		return "tree"
	}
	return p.release.Application
}

func (p piece) String() string {
	return fmt.Sprintf("%s: %s %s/%s", p.origin(), p.object.GetKind(), p.object.GetNamespace(), p.object.GetName())
}

// isHook tells whether the object is a hook of Helm's.
func (p piece) isHook() bool { return p.object.GetAnnotations()["helm.sh/hook"] != "" }

// skipped tells whether Argo CD leaves the object alone. Of two sources of an
// Application with the same object it takes the last, which is the tree's: so a
// tree can turn off a hook that no value turns off.
func (p piece) skipped() bool {
	return p.object.GetAnnotations()["argocd.argoproj.io/hook"] == "Skip"
}

// Judge renders every chart that the tree's Applications name and looks at all
// objects together. The error is for a tree that cannot be read at all.
func Judge(tree string, options Options) (Report, error) {
	objects, err := examples.LoadTree(tree)
	if err != nil {
		return Report{}, err
	}
	releases, err := examples.Releases(objects)
	if err != nil {
		return Report{}, err
	}
	var report Report
	pieces := treePieces(objects)
	definitions := []crd.ChartVersion{crd.ArgoCD}
	definitions = append(definitions, crd.Beneath...)
	for i := range releases {
		release := &releases[i]
		rendered, err := options.render(*release, objects)
		if errors.Is(err, errAbsent) && options.Invented {
			report.note("%s: chart %s %s: nobody has it", release.Application, release.Chart, release.Version)
			continue
		}
		if err != nil {
			report.problem("%s: chart %s %s: %v", release.Application, release.Chart, release.Version, err)
			// Its CRDs still let the rest be judged.
			definitions = append(definitions, crd.ChartVersion{Name: release.Chart, Version: release.Version})
			continue
		}
		for _, hook := range rendered.Hooks {
			report.note("%s: hook %s", release.Application, hook)
		}
		for _, object := range rendered.Objects {
			pieces = append(pieces, piece{&unstructured.Unstructured{Object: object}, release})
		}
	}
	validator, err := options.validator(releases, definitions, pieces)
	if err != nil {
		return Report{}, err
	}
	report.fillNamespaces(pieces, validator)
	report.validate(pieces, validator)
	report.permit(releases, pieces, validator)
	report.schedule(pieces)
	report.collect(pieces)
	for key, values := range objects {
		if strings.HasPrefix(key, examples.ValuesKey("")) {
			report.Objects[key] = values
		}
	}
	return report, nil
}

func (r *Report) problem(format string, arguments ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, arguments...))
}

func (r *Report) note(format string, arguments ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, arguments...))
}

func treePieces(objects map[string]any) []piece {
	var out []piece
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		if object, ok := objects[key].(map[string]any); ok && !strings.HasPrefix(key, examples.ValuesKey("")) {
			out = append(out, piece{object: &unstructured.Unstructured{Object: object}})
		}
	}
	return out
}

var errAbsent = errors.New("is not among the charts")

func (o Options) render(release examples.Release, objects map[string]any) (Rendered, error) {
	dir, ok := o.Charts.Dir(release.Chart, release.Version)
	if !ok {
		return Rendered{}, errAbsent
	}
	var layers []map[string]any
	for _, key := range release.ValuesKeys {
		values, ok := objects[key].(map[string]any)
		if !ok {
			return Rendered{}, fmt.Errorf("the tree has no %s", key)
		}
		layers = append(layers, values)
	}
	return Render(dir, release, append(layers, release.InlineValues), o.KubeVersion)
}

// validator knows the CRDs that the pieces bring, those that operators install
// later, and those of the given charts.
func (o Options) validator(releases []examples.Release, charts []crd.ChartVersion, pieces []piece) (*crd.Validator, error) {
	files := slices.Clone(o.Definitions)
	for _, chart := range charts {
		found, err := crd.DefinitionFiles(o.Upstream, chart)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	for _, release := range releases {
		found, err := crd.OperatorDefinitionFiles(o.Upstream, crd.ChartVersion{Name: release.Chart, Version: release.Version})
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	validator, err := crd.New(files...)
	if err != nil {
		return nil, err
	}
	for _, piece := range pieces {
		if piece.object.GetKind() != "CustomResourceDefinition" {
			continue
		}
		if err := validator.Add(piece.origin(), piece.object.Object); err != nil {
			return nil, err
		}
	}
	return validator, nil
}

// fillNamespaces puts charts' objects where Argo CD does: into the destination's
// namespace unless they name one.
func (r *Report) fillNamespaces(pieces []piece, validator *crd.Validator) {
	for _, piece := range pieces {
		namespaced, err := validator.Namespaced(piece.object.GroupVersionKind().GroupKind())
		if err != nil || piece.release == nil {
			continue // Validate reports unknown kinds
		}
		switch {
		case namespaced && piece.object.GetNamespace() == "":
			piece.object.SetNamespace(piece.release.Namespace)
		case !namespaced && piece.object.GetNamespace() != "":
			r.note("%v: the chart gives a cluster-scoped object a namespace, which the API server ignores", piece)
			piece.object.SetNamespace("")
		}
	}
}

// ofPlatforms are kinds that a platform's own API server has, and that charts bring
// objects of there: https://github.com/openshift/api/tree/master/security/v1 (read 2026-11).
var ofPlatforms = []schema.GroupKind{{Group: "security.openshift.io", Kind: "SecurityContextConstraints"}}

func (r *Report) validate(pieces []piece, validator *crd.Validator) {
	for _, piece := range pieces {
		for _, err := range validator.Validate(piece.object.Object) {
			if errors.Is(err, crd.ErrUnknownKind) && piece.release != nil && slices.Contains(ofPlatforms, piece.object.GroupVersionKind().GroupKind()) {
				r.note("%v: a kind of the platform", piece)
				continue
			}
			r.problem("%v: %v", piece, err)
		}
	}
}

// permit holds every object against the project of the Application that brings
// it. Objects of Argo CD itself come with the root Application, whose project is
// there before the tree.
func (r *Report) permit(releases []examples.Release, pieces []piece, validator *crd.Validator) {
	projects := map[string]project{}
	for _, piece := range pieces {
		if piece.object.GetKind() == "AppProject" {
			projects[piece.object.GetName()] = newProject(piece.object.Object)
		}
	}
	for _, release := range releases {
		p, ok := projects[release.Project]
		switch {
		case release.Project == "":
			// Flux has no projects.
		case !ok:
			r.note("%s: project %s is not in the tree, so nothing is known about what it permits", release.Application, release.Project)
		case !p.permitsRepository(release.RepoURL):
			r.problem("%s: project %s does not permit the repository %s", release.Application, p.name, release.RepoURL)
		}
	}
	ways := deliveries(pieces, projects)
	for _, piece := range pieces {
		kind := piece.object.GroupVersionKind().GroupKind()
		namespaced, err := validator.Namespaced(kind)
		if err != nil || kind.Group == "argoproj.io" {
			continue
		}
		possible := ways
		if piece.release != nil && piece.release.Project != "" {
			possible = []delivery{{piece.release.Project, piece.release.Server}}
		}
		if refusal := refusedByAll(possible, projects, piece.object, namespaced); refusal != "" {
			r.problem("%v: %s", piece, refusal)
		}
	}
}

// delivery is a project through which objects reach a cluster.
type delivery struct{ project, server string }

// deliveries lists the projects and clusters that the tree's Applications name.
// The tree does not say which of them brings one of its own objects: each such
// object must be permitted by at least one.
func deliveries(pieces []piece, projects map[string]project) []delivery {
	var out []delivery
	for _, piece := range pieces {
		if piece.object.GetKind() != "Application" {
			continue
		}
		spec, _ := piece.object.Object["spec"].(map[string]any)
		destination, _ := spec["destination"].(map[string]any)
		way := delivery{field(spec, "project"), cmp.Or(field(destination, "server"), field(destination, "name"))}
		if _, ok := projects[way.project]; ok && !slices.Contains(out, way) {
			out = append(out, way)
		}
	}
	return out
}

func refusedByAll(ways []delivery, projects map[string]project, object *unstructured.Unstructured, namespaced bool) string {
	refusal := ""
	for _, way := range ways {
		p, ok := projects[way.project]
		if !ok {
			return ""
		}
		if refusal = p.refusal(way.server, object, namespaced); refusal == "" {
			return ""
		}
	}
	return refusal
}

// collect keys all objects. The same object from two origins is a problem, since
// two Applications would fight over it; from one chart it is only worth a note.
func (r *Report) collect(pieces []piece) {
	type identity struct{ group, kind, namespace, name string }
	first := map[identity]piece{}
	var collection examples.Collection
	for _, piece := range pieces {
		kind := piece.object.GroupVersionKind().GroupKind()
		id := identity{kind.Group, kind.Kind, piece.object.GetNamespace(), piece.object.GetName()}
		if other, ok := first[id]; ok {
			if other.skipped() && other.release == nil && piece.isHook() {
				r.note("%v: skipped, as the tree says", piece)
			} else if other.origin() != piece.origin() {
				r.problem("%v: is also brought by %s", piece, other.origin())
			} else {
				r.note("%v: appears twice in one chart", piece)
			}
			continue
		}
		first[id] = piece
		if err := collection.Add(piece.origin(), piece.object.Object); err != nil {
			r.problem("%v", err)
		}
	}
	r.Objects = collection.Keyed()
}
