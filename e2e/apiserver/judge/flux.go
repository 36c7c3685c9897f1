package judge

import (
	"path"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gpugen/gpugen/examples"
)

// fluxGroup is that of Flux's Kustomizations.
const fluxGroup = "kustomize.toolkit.fluxcd.io"

// findKustomizations learns the components from Flux's Kustomizations, whose waves are
// how many come before them.
func (t *Tree) findKustomizations() {
	byName := map[string]*unstructured.Unstructured{}
	for _, document := range t.Documents {
		if document.Object.GroupVersionKind().Group == fluxGroup {
			byName[document.Object.GetName()] = document.Object
		}
	}
	var depth func(object *unstructured.Unstructured, below int) int
	depth = func(object *unstructured.Unstructured, below int) int {
		entries, _, _ := unstructured.NestedSlice(object.Object, "spec", "dependsOn")
		wave := 0
		for _, entry := range entries {
			fields, _ := entry.(map[string]any)
			name, _ := fields["name"].(string)
			// A circle has no order.
			if needed := byName[name]; needed != nil && below > 0 {
				wave = max(wave, depth(needed, below-1)+1)
			}
		}
		return wave
	}
	for _, object := range byName {
		a := &application{wave: depth(object, len(byName)), serverSideDiff: true, owned: true}
		a.namespace, _, _ = unstructured.NestedString(object.Object, "spec", "targetNamespace")
		dir, _, _ := unstructured.NestedString(object.Object, "spec", "path")
		t.applications[path.Base(dir)] = a
		// The root applies what names the others; itself, a person applies.
		t.applications[argocdDir] = &application{serverSideDiff: true, owned: true}
		t.applications[""] = t.applications[argocdDir]
	}
}

// helmReleases are the charts that Flux installs.
func (t *Tree) helmReleases() ([]examples.Release, error) {
	objects := map[string]any{}
	for _, document := range t.Documents {
		switch o := document.Object; o.GetKind() {
		case "HelmRelease", "HelmRepository", "OCIRepository":
			objects[o.GetKind()+"/"+o.GetNamespace()+"/"+o.GetName()] = o.Object
		}
	}
	return examples.Releases(objects)
}
