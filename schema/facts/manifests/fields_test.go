// Package manifests_test compares the fields of Argo CD's kinds with its CRDs.
package manifests_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// fieldsFile holds, for each kind of argoproj.io, the fields that its CRD has: of an
// object those by name, "*" for any; of a list what each item has; true where anything
// goes. GPUGEN_UPDATE=1 writes it.
const fieldsFile = "argocd_fields.json"

func TestFieldsAreThoseOfArgoCDsCRDs(t *testing.T) {
	dir := upstreamtest.Dir(t, filepath.Join("argo-cd-manifests", "v3.5.1", "crds"))
	kinds := map[string]any{}
	for kind, plural := range map[string]string{"Application": "applications", "AppProject": "appprojects", "ApplicationSet": "applicationsets"} {
		data, err := os.ReadFile(filepath.Join(dir, "argoproj.io_"+plural+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var crd struct {
			Spec struct {
				Versions []struct {
					Schema struct {
						OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
					} `json:"schema"`
				} `json:"versions"`
			} `json:"spec"`
		}
		if err := yaml.Unmarshal(data, &crd); err != nil {
			t.Fatal(err)
		}
		fields := fieldsOf(crd.Spec.Versions[0].Schema.OpenAPIV3Schema).(map[string]any)
		// Kubernetes knows these.
		fields["metadata"], fields["status"] = true, true
		if kind == "ApplicationSet" {
			// Generators hold templates and generators, which hold templates and generators.
			generators := fields["spec"].(map[string]any)["generators"].([]any)[0].(map[string]any)
			for _, generator := range generators {
				if g, ok := generator.(map[string]any); ok {
					for _, nested := range []string{"template", "generators"} {
						if g[nested] != nil {
							g[nested] = true
						}
					}
				}
			}
		}
		kinds[kind] = fields
	}
	want, err := json.MarshalIndent(kinds, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if os.Getenv("GPUGEN_UPDATE") != "" {
		if err := os.WriteFile(fieldsFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(fieldsFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the CRDs have; run with GPUGEN_UPDATE=1", fieldsFile)
	}
}

func fieldsOf(schema map[string]any) any {
	if schema["x-kubernetes-preserve-unknown-fields"] == true {
		return true
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		out := map[string]any{}
		for name, s := range properties {
			out[name] = fieldsOf(s.(map[string]any))
		}
		return out
	}
	if any_, ok := schema["additionalProperties"].(map[string]any); ok {
		return map[string]any{"*": fieldsOf(any_)}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		if of := fieldsOf(items); of != true {
			return []any{of}
		}
	}
	return true
}
