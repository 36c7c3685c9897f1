package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema"
)

// objectKey begins the key of an object that the user brings, as in templates/base.cue.
const objectKey = "components.objects."

// UserObject tells whether an object of a component is the user's, and by which
// name it is in the spec.
func UserObject(key string) (string, bool) {
	return strings.CutPrefix(key, objectKey)
}

// addWhatUsersBring adds what the spec has for components besides values and objects:
// patches, needs, and what goes into the Application. Where a component has several
// releases, the first takes the patches.
func addWhatUsersBring(c *schema.Cluster, components map[string]Component) error {
	var brought map[string]struct {
		Needs   []string         `json:"needs"`
		Patches []map[string]any `json:"patches"`
		ArgoCD  struct {
			SyncOptions       []string          `json:"syncOptions"`
			IgnoreDifferences []map[string]any  `json:"ignoreDifferences"`
			Annotations       map[string]string `json:"annotations"`
			Labels            map[string]string `json:"labels"`
			Automated         *bool             `json:"automated"`
			Name              string            `json:"name"`
		} `json:"argocd"`
	}
	if err := c.Decode("spec.components", &brought); err != nil {
		return fmt.Errorf("knowledge base: %w", err)
	}
	releases := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(components)) {
		of := components[name].Of
		releases[of] = append(releases[of], name)
	}
	for _, of := range slices.Sorted(maps.Keys(brought)) {
		for i, name := range releases[of] {
			component := components[name]
			for _, need := range brought[of].Needs {
				component.Needs = append(component.Needs, needed(releases, need)...)
			}
			argocd := brought[of].ArgoCD
			component.ArgoCD.SyncOptions = append(component.ArgoCD.SyncOptions, argocd.SyncOptions...)
			component.ArgoCD.IgnoreDifferences = append(component.ArgoCD.IgnoreDifferences, argocd.IgnoreDifferences...)
			component.ArgoCD.Annotations = argocd.Annotations
			component.ArgoCD.Labels = argocd.Labels
			component.ArgoCD.Automated = argocd.Automated
			component.ArgoCD.Name = argocd.Name
			if i == 0 {
				component.Patches = brought[of].Patches
			}
			slices.Sort(component.Needs)
			component.Needs = slices.Compact(component.Needs)
			components[name] = component
		}
	}
	return nil
}

// needed are the releases of a component, or what is called so itself.
func needed(releases map[string][]string, name string) []string {
	if len(releases[name]) > 0 {
		return releases[name]
	}
	return []string{name}
}
