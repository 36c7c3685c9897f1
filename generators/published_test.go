package generators_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
)

// What vendors publish for their platforms is rendered from a spec that says what their
// pages say of nodes: without a finding of an error, and with every value that they publish.
func TestPublishedConfigurationsAreRendered(t *testing.T) {
	files, err := filepath.Glob("testdata/published/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no published configurations", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var published []struct {
			Name, Source string
			// Values are the GPU Operator's; Objects are by kind and name.
			Spec, Values, Objects map[string]any
		}
		if err := yaml.UnmarshalStrict(data, &published); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, p := range published {
			if !sample.Draws("published "+p.Name, 8) {
				continue
			}
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel()
				if !strings.HasPrefix(p.Source, "https://") || len(p.Values)+len(p.Objects) == 0 {
					t.Error("it has no source, or nothing is published")
				}
				spec := map[string]any{
					"name":       "published",
					"kubernetes": map[string]any{"version": "1.35.8", "distribution": "kubeadm"},
					"gitops":     map[string]any{"repoURL": "https://git.example.com/platform/gpu.git", "path": "tree"},
				}
				layOver(spec, p.Spec)
				text, err := yaml.Marshal(spec)
				if err != nil {
					t.Fatal(err)
				}
				result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(string(text))})
				if len(findings) > 0 {
					t.Fatalf("%+v\n%s", findings, text)
				}
				objects := objectsOf(t, result)
				faults := notHeld(p.Objects, objects, "")
				if len(p.Values) > 0 {
					faults = append(faults, notHeld(p.Values, objects["gpu-operator/values.yaml"], "gpu-operator")...)
				}
				for _, fault := range faults {
					t.Error(fault)
				}
			})
		}
	}
}

// notHeld lists what of want is not in have: of maps a part is enough, and lists may
// have another order.
func notHeld(want, have any, at string) []string {
	switch want := want.(type) {
	case map[string]any:
		fields, _ := have.(map[string]any)
		var out []string
		for name, value := range want {
			out = append(out, notHeld(value, fields[name], at+"."+name)...)
		}
		return out
	case []any:
		entries, _ := have.([]any)
		var out []string
		for _, value := range want {
			if !slices.ContainsFunc(entries, func(entry any) bool { return len(notHeld(value, entry, at)) == 0 }) {
				out = append(out, at+" does not have "+asText(value))
			}
		}
		return out
	default:
		if published, ok := inJSON(want); ok {
			if rendered, ok := inJSON(have); ok {
				return notHeld(published, rendered, at)
			}
		}
		if want != have {
			return []string{at + " is " + asText(have) + ", published is " + asText(want)}
		}
		return nil
	}
}

// inJSON is what a text says in JSON, or several values between commas, as plugins of CNI are chained.
func inJSON(v any) ([]any, bool) {
	text, ok := v.(string)
	if !ok || !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, false
	}
	var out []any
	err := json.Unmarshal([]byte("["+text+"]"), &out)
	return out, err == nil
}

func asText(v any) string {
	data, err := yaml.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(data))
}
