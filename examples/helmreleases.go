package examples

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// helmReleases returns the charts that Flux's HelmReleases among the objects install,
// sorted by name. Like Releases, it fails on what it cannot follow.
func helmReleases(objects map[string]any) ([]Release, error) {
	var out []Release
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		if kind, _, _ := strings.Cut(key, "/"); kind != "HelmRelease" {
			continue
		}
		release, err := newHelmRelease(objects, objects[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		out = append(out, release)
	}
	return out, nil
}

func newHelmRelease(objects map[string]any, o any) (Release, error) {
	if at(o, "spec", "valuesFrom") != nil {
		return Release{}, fmt.Errorf("spec.valuesFrom is not read here: use values")
	}
	namespace := text(at(o, "metadata", "namespace"))
	release := Release{
		Application: text(at(o, "metadata", "name")),
		Name:        text(at(o, "spec", "releaseName")),
		Namespace:   text(at(o, "spec", "targetNamespace")),
		SkipCRDs:    text(at(o, "spec", "install", "crds")) == "Skip",

		SkipSchemaValidation: at(o, "spec", "install", "disableSchemaValidation") == true,
	}
	release.Component = componentOf(release.Application, text(at(o, "metadata", "labels", clusterLabel)), release.Name)
	release.Annotations, _ = at(o, "metadata", "annotations").(map[string]any)
	// Flux takes a release without values for one with none.
	release.InlineValues, _ = at(o, "spec", "values").(map[string]any)
	if release.InlineValues == nil {
		release.InlineValues = map[string]any{}
	}
	of, isChart := at(o, "spec", "chart", "spec").(map[string]any)
	ref := at(of, "sourceRef")
	if !isChart {
		ref = at(o, "spec", "chartRef")
	}
	kind, in := text(at(ref, "kind")), text(at(ref, "namespace"))
	if in == "" {
		in = namespace
	}
	source, ok := objects[kind+"/"+in+"/"+text(at(ref, "name"))]
	if !ok {
		return Release{}, fmt.Errorf("%s %s is not in the tree", kind, text(at(ref, "name")))
	}
	url := text(at(source, "spec", "url"))
	switch {
	case isChart && kind == "HelmRepository":
		release.RepoURL, release.Chart, release.Version = url, text(of["chart"]), text(of["version"])
	case !isChart && kind == "OCIRepository":
		// As Argo CD names a registry; a tag has no plus.
		url = strings.TrimPrefix(url, "oci://")
		release.RepoURL, release.Chart = path.Dir(url), path.Base(url)
		release.Version = strings.ReplaceAll(text(at(source, "spec", "ref", "tag")), "_", "+")
	default:
		return Release{}, fmt.Errorf("a chart of a %s is not followed here", kind)
	}
	return release, nil
}
