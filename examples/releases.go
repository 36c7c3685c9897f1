package examples

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// clusterLabel holds what the names of a cluster's Applications begin with.
const clusterLabel = "gpugen.github.io/cluster"

// Release is one chart that an Argo CD Application installs, or a HelmRelease of Flux's.
type Release struct {
	// Application is its name, Component that of the folder and the
	// values which belong to it.
	Application, Component string
	RepoURL, Chart         string
	// Version is the source's targetRevision, as written.
	Version string
	// Name is the Helm release name, Namespace the destination's.
	Name, Namespace string
	// Server is the destination's server, or its name. Flux has neither it nor projects.
	Server, Project string
	// KubeVersion and APIVersions are empty unless the source sets them.
	KubeVersion string
	APIVersions []string
	// SkipCRDs leaves out the chart's crds/, SkipSchemaValidation its
	// values.schema.json.
	SkipCRDs, SkipSchemaValidation bool
	// ValuesKeys name the values files, in the order in which they are laid over
	// each other, as keys of the tree's objects.
	ValuesKeys []string
	// InlineValues is helm.valuesObject, or helm.values, which wins over the files; nil if absent.
	InlineValues map[string]any
	// Annotations are the Application's.
	Annotations map[string]any
}

// Releases returns the charts that the Applications among the objects install, or the
// HelmReleases, sorted by name. It fails on what this package cannot follow, rather
// than judge a release by half of its values.
func Releases(objects map[string]any) ([]Release, error) {
	var out []Release
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		switch kind, _, _ := strings.Cut(name, "/"); kind {
		case "Application", "Application.argoproj.io":
		default:
			continue
		}
		application := objects[name]
		for _, source := range sources(application) {
			if text(at(source, "chart")) == "" {
				continue
			}
			release, err := newRelease(application, source)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out = append(out, release)
		}
	}
	flux, err := helmReleases(objects)
	return append(out, flux...), err
}

func sources(application any) []any {
	if list, ok := at(application, "spec", "sources").([]any); ok {
		return list
	}
	return []any{at(application, "spec", "source")}
}

func newRelease(application, source any) (Release, error) {
	helm := at(source, "helm")
	for _, field := range []string{"parameters", "fileParameters"} {
		if at(helm, field) != nil {
			return Release{}, fmt.Errorf("helm.%s is not read here: use values files or valuesObject", field)
		}
	}
	release := Release{
		Application: text(at(application, "metadata", "name")),
		RepoURL:     text(at(source, "repoURL")),
		Chart:       text(at(source, "chart")),
		Version:     text(at(source, "targetRevision")),
		Namespace:   text(at(application, "spec", "destination", "namespace")),
		Server:      cmp.Or(text(at(application, "spec", "destination", "server")), text(at(application, "spec", "destination", "name"))),
		Project:     text(at(application, "spec", "project")),
		KubeVersion: text(at(helm, "kubeVersion")),
		SkipCRDs:    at(helm, "skipCrds") == true,

		SkipSchemaValidation: at(helm, "skipSchemaValidation") == true,
	}
	// Argo CD names the release after the Application unless told otherwise.
	release.Name = cmp.Or(text(at(helm, "releaseName")), release.Application)
	release.Component = componentOf(release.Application, text(at(application, "metadata", "labels", clusterLabel)), release.Name)
	release.InlineValues, _ = at(helm, "valuesObject").(map[string]any)
	// Argo CD reads the text only where there is no object.
	if written := text(at(helm, "values")); written != "" && release.InlineValues == nil {
		documents, err := Documents([]byte(written))
		if err != nil || len(documents) != 1 {
			return Release{}, fmt.Errorf("helm.values is not one document of values (%v)", err)
		}
		release.InlineValues = documents[0]
	}
	release.Annotations, _ = at(application, "metadata", "annotations").(map[string]any)
	versions, _ := at(helm, "apiVersions").([]any)
	for _, version := range versions {
		release.APIVersions = append(release.APIVersions, text(version))
	}
	files, _ := at(helm, "valueFiles").([]any)
	for _, file := range files {
		dir, base := path.Split(text(file))
		if !strings.HasPrefix(dir, "$") || base != valuesFile {
			return Release{}, fmt.Errorf("values file %q is not in the tree", text(file))
		}
		release.ValuesKeys = append(release.ValuesKeys, ValuesKey(path.Base(dir)))
	}
	return release, nil
}

// componentOf takes the cluster off the Application's name; the release name
// stands in for Applications that follow other habits.
func componentOf(application, cluster, release string) string {
	if component, ok := strings.CutPrefix(application, cluster+"-"); ok && cluster != "" {
		return component
	}
	return release
}
