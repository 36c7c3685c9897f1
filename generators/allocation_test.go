package generators_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
)

// No patch makes a harmless object into a second device plugin.
func TestAPatchBringsNoSecondPlugin(t *testing.T) {
	const bringing = `components: {gpu-operator: {
	objects: {tuner: {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: tuner, namespace: gpu-operator}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: tuner, image: "registry.example.com/tuner:1.0"}]}}}}},
	patches: [{target: {kind: DaemonSet}, patch: "- {op: replace, path: /spec/template/spec/containers/0/image, value: 'nvcr.io/nvidia/k8s-device-plugin:v0.20.0'}"}]}}`
	var spec, upper map[string]any
	for text, into := range map[string]*map[string]any{withTenants: &spec, bringing: &upper} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	layOver(spec, upper)
	layOver(spec, map[string]any{"nodePools": map[string]any{"p": map[string]any{"allocation": "dra"}}})
	text, err := yaml.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	if _, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(string(text))}); !findings.HasErrors() {
		t.Errorf("nothing is refused\n%s", text)
	}
}
