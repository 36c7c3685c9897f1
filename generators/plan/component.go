package plan

import (
	"maps"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// Component is one Helm release with the objects beside it.
type Component struct {
	// Name is the component's, and its directory's. Own says that it is the user's.
	Name        string                    `json:"-"`
	Of          string                    `json:"of"`
	Own         bool                      `json:"own"`
	Title       string                    `json:"title"`
	Namespace   string                    `json:"namespace"`
	ReleaseName string                    `json:"releaseName"`
	Chart       *Chart                    `json:"chart"`
	Needs       []string                  `json:"needs"`
	Values      map[string]any            `json:"values"`
	Objects     map[string]map[string]any `json:"objects"`
	ArgoCD      struct {
		SyncOptions       []string         `json:"syncOptions"`
		IgnoreDifferences []map[string]any `json:"ignoreDifferences"`
		// Annotations and labels of the Application, of the user's.
		Annotations map[string]string `json:"annotations"`
		Labels      map[string]string `json:"labels"`
		// Automated says whether Argo CD syncs it by itself; nil is what holds for all.
		Automated *bool `json:"-"`
		// Name of the Application, where it is not the usual.
		Name string `json:"-"`
	} `json:"argocd"`
	// Patches of the objects, of the user's.
	Patches []map[string]any `json:"-"`
	// Patched are the objects that the patches change, as all of them leave them, by
	// key; filled in once the patches are applied.
	Patched map[string]map[string]any `json:"-"`
	// Wave orders components; each is above those that the component needs.
	Wave int `json:"-"`
	// Index of the chart; nil if there is no chart, or if it is the user's own.
	Index *chartindex.Index `json:"-"`
}

// Final are the component's objects by key, as patches leave them.
func (c Component) Final() map[string]map[string]any {
	if len(c.Patched) == 0 {
		return c.Objects
	}
	out := maps.Clone(c.Objects)
	maps.Copy(out, c.Patched)
	return out
}

// Chart is a pinned Helm chart.
type Chart struct {
	Repository        string           `json:"repository"`
	OCI               bool             `json:"oci"`
	Name              string           `json:"name"`
	Version           string           `json:"version"`
	Hooks             []Hook           `json:"hooks"`
	IgnoreDifferences []map[string]any `json:"ignoreDifferences"`
	// Like is the version from which facts were taken over unread; empty if none were.
	Like string `json:"like"`
	// IndexOf is the version whose index stands in; empty if it is the chart's own.
	IndexOf string `json:"index"`
}

// Hook of a chart, and what becomes of it.
type Hook struct {
	Object   string `json:"object"`
	Type     string `json:"type"`
	Avoided  string `json:"avoided"`
	Accepted string `json:"accepted"`
}
