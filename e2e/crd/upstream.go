package crd

import (
	"path/filepath"
	"strings"
)

// ChartVersion names a chart at a version, with or without the leading v.
type ChartVersion struct{ Name, Version string }

// ArgoCD is where the upstream data holds the CRDs of Argo CD itself.
var ArgoCD = ChartVersion{"argo-cd-manifests", "v3.5.1"}

// Beneath are the components that a tree may rest on without installing them
// (state external), so that no Application names their charts.
var Beneath = []ChartVersion{
	{"prometheus-operator-crds", "31.0.1"},
	{"cert-manager", "v1.21.1"},
}

// DefinitionFiles lists the CRD files that the upstream data holds for a chart:
// those of the chart, and those that its operator installs later. A chart that
// the data does not have, or that has no CRDs, gives none.
func DefinitionFiles(upstream string, chart ChartVersion) ([]string, error) {
	return definitionFiles(upstream, chart, "crds*")
}

// OperatorDefinitionFiles lists only the CRD files that the chart's operator
// installs later, which no render of the chart shows.
func OperatorDefinitionFiles(upstream string, chart ChartVersion) ([]string, error) {
	return definitionFiles(upstream, chart, "crds-*")
}

func definitionFiles(upstream string, chart ChartVersion, folders string) ([]string, error) {
	bare := strings.TrimPrefix(chart.Version, "v")
	for _, version := range []string{bare, "v" + bare} {
		found, err := filepath.Glob(filepath.Join(upstream, chart.Name, version, folders, "*.yaml"))
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}
