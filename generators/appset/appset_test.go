package appset_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/generators/appset"
)

const set = `
metadata: {name: all, namespace: argocd}
spec:
  goTemplate: true
  goTemplateOptions: [missingkey=error]
  generators:
  - list:
      elements:
      - {name: one, patch: {metadata: {labels: {b: "{{.name}}"}}, spec: {project: other, list: [3], gone: null}}}
      - {name: two, patch: {}}
  templatePatch: "{{ toJson .patch }}"
  template:
    metadata: {name: "all-{{.name}}", labels: {a: "{{ .name | quote }}"}}
    spec: {project: gpus, list: [1, 2], gone: 1, number: 5}
`

func read(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestApplicationsAreWhatTheControllerMakes(t *testing.T) {
	made, err := examples.Applications(read(t, set))
	if err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		// A patch changes no project, and what it brings is no template.
		read(t, `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: all-one, namespace: argocd, labels: {a: '"one"', b: "{{.name}}"}, finalizers: [resources-finalizer.argocd.argoproj.io]}, spec: {project: gpus, list: [3], number: 5}}`),
		read(t, `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: all-two, namespace: argocd, labels: {a: '"two"'}, finalizers: [resources-finalizer.argocd.argoproj.io]}, spec: {project: gpus, list: [1, 2], gone: 1, number: 5}}`),
	}
	if !reflect.DeepEqual(made, want) {
		t.Errorf("got\n%v\nwant\n%v", made, want)
	}
}

func TestFinalizersFollowFromTheSet(t *testing.T) {
	for change, want := range map[string]any{
		"  syncPolicy: {preserveResourcesOnDeletion: true}":  nil,
		"  syncPolicy: {preserveResourcesOnDeletion: false}": []any{"resources-finalizer.argocd.argoproj.io"},
	} {
		made, err := examples.Applications(read(t, set+change))
		if err != nil {
			t.Fatal(err)
		}
		if got := made[0]["metadata"].(map[string]any)["finalizers"]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v", change, got)
		}
	}
	own := strings.Replace(set, "metadata: {name: \"all", "metadata: {finalizers: [own], name: \"all", 1)
	made, err := examples.Applications(read(t, own))
	if err != nil {
		t.Fatal(err)
	}
	if got := made[0]["metadata"].(map[string]any)["finalizers"]; !reflect.DeepEqual(got, []any{"own"}) {
		t.Errorf("got %v", got)
	}
}

func TestWhatCannotBeFollowedIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		unknown  bool
	}{
		"another generator":    {"list:\n", "git:\n", true},
		"a selector":           {"- list:", "- selector: {}\n    list:", true},
		"old templates":        {"goTemplate: true", "goTemplate: false", true},
		"a function":           {"| quote", "| sha256sum", true},
		"an option":            {"missingkey=error", "other=error", true},
		"a missing parameter":  {"{{ .name | quote", "{{ .nam | quote", false},
		"a broken template":    {"{{ .name | quote", "{{ .name ( ", false},
		"a patch that is none": {"{{ toJson .patch }}", "[a", false},
		"an element of text":   {"- {name: two, patch: {}}", "- two", false},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(set, c.old, c.new, 1)
			if text == set {
				t.Fatal("nothing changed")
			}
			_, err := examples.Applications(read(t, text))
			if err == nil || errors.Is(err, appset.ErrUnknown) != c.unknown {
				t.Errorf("got %v", err)
			}
		})
	}
}
