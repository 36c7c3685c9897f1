package verify

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/schema/diag"
	"sigs.k8s.io/yaml"
)

// What every Application must have, whatever a component adds to it. CRDs above
// this size do not fit into the annotation of a client-side apply:
// https://github.com/argoproj/argo-cd/blob/v3.5.1/docs/user-guide/sync-options.md (2026-08).
const (
	serverSideApply = "ServerSideApply=true"
	serverSideDiff  = "ServerSideDiff=true"
	compareOptions  = "argocd.argoproj.io/compare-options"
	helmHook        = "helm.sh/hook"
)

// manifest is what the checks look at of an object.
type manifest struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		SyncPolicy struct {
			SyncOptions []string `json:"syncOptions"`
		} `json:"syncPolicy"`
	} `json:"spec"`
}

// manifests checks how Argo CD would treat each object of the tree.
func manifests(t *tree.Tree) diag.List {
	var findings diag.List
	for _, f := range t.Files() {
		applied := path.Dir(f.Path) == "argocd" || f.Path == "root.yaml"
		hooked := strings.Contains(string(f.Data), helmHook)
		if path.Ext(f.Path) != ".yaml" || path.Base(f.Path) == "values.yaml" || !applied && !hooked {
			continue
		}
		var m manifest
		if err := yaml.Unmarshal(f.Data, &m); err != nil || m.Kind == "" {
			continue
		}
		if m.Kind == "Application" && !slices.Contains(m.Spec.SyncPolicy.SyncOptions, serverSideApply) {
			findings.Add(finding("ARGO-001", fmt.Sprintf("Application %s lacks the sync option %s", m.Metadata.Name, serverSideApply)))
		}
		if m.Kind == "Application" && !slices.Contains(strings.Split(m.Metadata.Annotations[compareOptions], ","), serverSideDiff) {
			findings.Add(finding("ARGO-002", fmt.Sprintf("Application %s lacks %s among its %s", m.Metadata.Name, serverSideDiff, compareOptions)))
		}
		if hook := m.Metadata.Annotations[helmHook]; hook != "" {
			findings.Add(finding("ARGO-004", fmt.Sprintf("%s %s in %s is a Helm hook (%s)", m.Kind, m.Metadata.Name, f.Path, hook)))
		}
	}
	return findings
}

// finding is one of IDs, with what is said of all of its kind; where it is in the spec is left to the caller.
func finding(id, message string) diag.Finding {
	for _, known := range IDs {
		if known.ID == id {
			return diag.Finding{ID: id, Message: message, Why: known.Why, Fix: known.Fix}
		}
	}
	return diag.Finding{ID: id, Message: message}
}
