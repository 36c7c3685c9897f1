package kustomize

import (
	"strings"
	"testing"
)

// Not every file system tells capitals from small letters.
func TestFilesOfObjectsDifferInMoreThanCapitals(t *testing.T) {
	role := func(name, namespace string) map[string]any {
		return map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": map[string]any{"name": name, "namespace": namespace}}
	}
	names := FileNames(map[string]map[string]any{
		"alone": role("Reader", "a"),
		"one":   role("Writer", "a"), "other": role("writer", "a"),
		"here": role("viewer", "a"), "there": role("viewer", "b"),
	})
	seen := map[string]string{}
	for key, name := range names {
		if other, ok := seen[strings.ToLower(name)]; ok {
			t.Errorf("%s and %s are both in %s", key, other, name)
		}
		seen[strings.ToLower(name)] = key
		if !plainName.MatchString(name) {
			t.Errorf("%s is no plain name", name)
		}
	}
	for key, want := range map[string]string{"alone": "role-Reader.yaml", "here": "role-a-viewer.yaml"} {
		if names[key] != want {
			t.Errorf("%s is in %s, want %s", key, names[key], want)
		}
	}
}
