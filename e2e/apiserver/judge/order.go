package judge

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
)

const waveAnnotation = "argocd.argoproj.io/sync-wave"

// kindOrder is the order in which Argo CD applies the kinds of one wave; other
// kinds come after them. Source: argo-cd v3.5.1, gitops-engine/pkg/sync/sync_tasks.go.
var kindOrder = []string{
	"Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange", "PodSecurityPolicy", "PodDisruptionBudget",
	"ServiceAccount", "Secret", "ConfigMap", "StorageClass", "PersistentVolume", "PersistentVolumeClaim",
	"CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "Service", "DaemonSet",
	"Pod", "ReplicationController", "ReplicaSet", "Deployment", "HorizontalPodAutoscaler", "StatefulSet", "Job",
	"CronJob", "IngressClass", "Ingress", "APIService",
}

// application is what an Application of the tree says about a component.
type application struct {
	wave      int
	namespace string
	// serverSideDiff tells that Argo CD asks the server what it would make of the
	// tree's objects, and so sees no difference in what the server fills in.
	serverSideDiff bool
	// owned tells that only fields which the tree sets are compared, by a dry run of
	// server-side apply: so does Flux (github.com/fluxcd/pkg ssa, manager_diff.go).
	owned   bool
	ignored []ignored
}

// ignored is an entry of ignoreDifferences.
type ignored struct {
	kind     string
	pointers []string
}

// place is where the tree's order has a document.
type place struct {
	// stage 0 is what a person applies, 1 what the root Application does, 2 what the
	// others do.
	stage, applicationWave int
	component              string
	wave, kind             int
	file                   string
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.stage, q.stage), cmp.Compare(p.applicationWave, q.applicationWave), cmp.Compare(p.component, q.component),
		cmp.Compare(p.wave, q.wave), cmp.Compare(p.kind, q.kind), cmp.Compare(p.file, q.file))
}

// findApplications learns the components from the Applications read so far, or from
// Flux's objects.
func (t *Tree) findApplications() error {
	t.findKustomizations()
	for _, document := range t.Documents {
		if document.File == rootFile && document.Object.GetKind() == "Application" {
			t.applications[argocdDir] = newApplication(document.Object)
			continue
		}
		applications, err := applicationsOf(document.Object)
		if err != nil {
			return fmt.Errorf("%s: %w", document.File, err)
		}
		for _, object := range applications {
			sources, _, _ := unstructured.NestedSlice(object.Object, "spec", "sources")
			if source, ok, _ := unstructured.NestedMap(object.Object, "spec", "source"); ok {
				sources = append(sources, source)
			}
			for _, source := range sources {
				fields, _ := source.(map[string]any)
				if folder := folderOf(fields); folder != "" {
					t.applications[folder] = newApplication(object)
				}
			}
		}
	}
	return nil
}

// applicationsOf are an Application itself, or those that an ApplicationSet makes.
func applicationsOf(object *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if object.GetKind() == "Application" {
		return []*unstructured.Unstructured{object}, nil
	}
	made, err := examples.Made(object.Object)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, o := range made {
		out = append(out, &unstructured.Unstructured{Object: o})
	}
	return out, nil
}

// folderOf is the folder of the tree that a source applies: that of its path, or the
// one that it asks gpugen's plugin for.
func folderOf(source map[string]any) string {
	parameters, _, _ := unstructured.NestedSlice(source, "plugin", "parameters")
	for _, entry := range parameters {
		if parameter, _ := entry.(map[string]any); parameter["name"] == "component" {
			component, _ := parameter["string"].(string)
			return component
		}
	}
	dir, _ := source["path"].(string)
	if dir == "" {
		return ""
	}
	return path.Base(dir)
}

func newApplication(object *unstructured.Unstructured) *application {
	a := &application{wave: waveOf(object)}
	if step, err := strconv.Atoi(object.GetLabels()["gpugen.github.io/step"]); err == nil {
		a.wave = step // an ApplicationSet rolls out by steps
	}
	a.namespace, _, _ = unstructured.NestedString(object.Object, "spec", "destination", "namespace")
	a.serverSideDiff = strings.Contains(object.GetAnnotations()["argocd.argoproj.io/compare-options"], "ServerSideDiff=true")
	entries, _, _ := unstructured.NestedSlice(object.Object, "spec", "ignoreDifferences")
	for _, entry := range entries {
		fields, _ := entry.(map[string]any)
		one := ignored{}
		one.kind, _ = fields["kind"].(string)
		one.pointers, _, _ = unstructured.NestedStringSlice(fields, "jsonPointers")
		a.ignored = append(a.ignored, one)
	}
	return a
}

func waveOf(object *unstructured.Unstructured) int {
	// Argo CD takes what is no number for 0.
	wave, _ := strconv.Atoi(object.GetAnnotations()[waveAnnotation])
	return wave
}

// placeDocuments sorts the documents: the root Application, then what it brings,
// then component by component in the order of their waves.
func (t *Tree) placeDocuments() {
	for _, document := range t.Documents {
		p := place{wave: waveOf(document.Object), kind: slices.Index(kindOrder, document.Object.GetKind()), file: document.File}
		if p.kind < 0 {
			p.kind = len(kindOrder)
		}
		switch document.Component {
		case "":
		case argocdDir:
			p.stage = 1
		default:
			p.stage, p.component = 2, document.Component
			if a := t.applications[document.Component]; a != nil {
				p.applicationWave = a.wave
			} else {
				t.report(document.File, nameOf(document.Object), "", "no Application of the tree applies the folder %s", document.Component)
			}
		}
		document.place = p
	}
	slices.SortStableFunc(t.Documents, func(a, b *Document) int { return a.place.compare(b.place) })
}

// defaultNamespace is where Argo CD puts an object of a component that names none.
func (t *Tree) defaultNamespace(component string) string {
	if a := t.applications[component]; a != nil {
		return a.namespace
	}
	return ""
}

// charts returns what the Applications or HelmReleases install, in the order of the tree.
func (t *Tree) charts() ([]crd.ChartVersion, error) {
	var out []crd.ChartVersion
	for _, document := range t.Documents {
		applications, err := applicationsOf(document.Object)
		if err != nil {
			return nil, err
		}
		for _, application := range applications {
			releases, err := examples.Releases(map[string]any{"Application/": application.Object})
			if err != nil {
				return nil, err
			}
			for _, release := range releases {
				out = append(out, crd.ChartVersion{Name: release.Chart, Version: release.Version})
			}
		}
	}
	releases, err := t.helmReleases()
	for _, release := range releases {
		out = append(out, crd.ChartVersion{Name: release.Chart, Version: release.Version})
	}
	return out, err
}

// KubernetesMinor is the Kubernetes minor release that the tree was rendered for,
// such as "1.35", as its Applications tell the charts; empty if none does.
func (t *Tree) KubernetesMinor() string {
	for _, document := range t.Documents {
		// What cannot be followed was said when the tree was read.
		applications, _ := applicationsOf(document.Object)
		for _, application := range applications {
			sources, _, _ := unstructured.NestedSlice(application.Object, "spec", "sources")
			for _, source := range sources {
				fields, _ := source.(map[string]any)
				version, _, _ := unstructured.NestedString(fields, "helm", "kubeVersion")
				if parts := strings.Split(version, "."); len(parts) > 1 {
					return parts[0] + "." + parts[1]
				}
			}
		}
	}
	return ""
}
