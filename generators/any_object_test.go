package generators_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	files "github.com/gpugen/gpugen/generators/rendered"
	"github.com/gpugen/gpugen/internal/anyspec"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/spectest"
)

// The schema says little of users' objects, and nothing of those in Helm values. Where one
// has a list for a text, or the like, at whatever place, rules and checks of files say
// what is wrong, or nothing: it is no defect of gpugen.
func TestNoFormOfAnObjectIsADefect(t *testing.T) {
	const atOnce = 100
	var drawn []anyspec.Form
	n := 0
	for _, object := range append(anyspec.Usual(), goldenObjects(t)...) {
		for _, form := range anyspec.Forms(object) {
			if n++; sample.Draws(form.What, 400) {
				drawn = append(drawn, form)
			}
		}
	}
	for batch := range slices.Chunk(drawn, atOnce) {
		eachDefect(t, batch, asObjects, "as an object")
		eachDefect(t, batch, asValues, "as a value")
		for _, form := range batch {
			if err := asFile(form.Object); err != nil {
				t.Errorf("%s, in a file: %v", form.What, err)
			}
		}
	}
	t.Logf("%d of %d objects", len(drawn), n)
}

// eachDefect judges objects together, and finds those that are defects by halves.
func eachDefect(t *testing.T, forms []anyspec.Form, judge func([]map[string]any) error, how string) {
	t.Helper()
	var objects []map[string]any
	for _, form := range forms {
		objects = append(objects, form.Object)
	}
	err := judge(objects)
	switch {
	case err == nil:
	case len(forms) == 1:
		t.Errorf("%s, %s: %v", forms[0].What, how, err)
	default:
		eachDefect(t, forms[:len(forms)/2], judge, how)
		eachDefect(t, forms[len(forms)/2:], judge, how)
	}
}

func asObjects(objects []map[string]any) error {
	brought := map[string]any{}
	for i, object := range objects {
		brought[fmt.Sprint(i)] = object
	}
	return evaluated(map[string]any{"my-thing": map[string]any{"objects": brought}})
}

func asValues(objects []map[string]any) error {
	return evaluated(map[string]any{"gpu-operator": map[string]any{"values": map[string]any{"extraObjects": objects}}})
}

func evaluated(components map[string]any) error {
	base, err := os.ReadFile("../schema/testdata/rules/base.yaml")
	if err != nil {
		return err
	}
	written := string(base) + text(map[string]any{"components": components})
	_, findings := schema.Evaluate(schema.Input{Path: "-", Stdin: strings.NewReader(written)})
	return noDefect(findings)
}

func noDefect(findings diag.List) error {
	defects := slices.DeleteFunc(slices.Clone(findings), func(f diag.Finding) bool {
		return !slices.Contains([]string{"RULE-001", "RULE-002", "SPEC-014"}, f.ID) && !f.Fatal
	})
	if len(defects) > 0 {
		return fmt.Errorf("%s\n%s", strings.Join(spectest.Brief(defects), "\n"), defects[0].Message)
	}
	return nil
}

// application has the directory built that holds the object.
const application = `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a, namespace: argocd}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: a}
  source: {repoURL: https://git.example.com/a.git, path: a, targetRevision: main}
`

func asFile(object map[string]any) (err error) {
	defer func() {
		if said := recover(); said != nil {
			err = fmt.Errorf("a panic: %v", said)
		}
	}()
	var dir fs.FS = fstest.MapFS{
		"application.yaml":     {Data: []byte(application)},
		"a/object.yaml":        {Data: []byte(text(object))},
		"a/kustomization.yaml": {Data: []byte("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [object.yaml]\n")},
	}
	findings, err := generators.JudgeDir(dir, files.Options{})
	if err != nil {
		return err
	}
	return noDefect(findings)
}

// goldenObjects are the objects of golden trees, the largest of each kind.
func goldenObjects(t *testing.T) []map[string]any {
	t.Helper()
	names, err := filepath.Glob("../golden/*/*/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal("no golden trees", err)
	}
	largest, size := map[string]map[string]any{}, map[string]int{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if yaml.Unmarshal(data, &object) != nil || object["kind"] == nil || object["kind"] == "Kustomization" {
			continue
		}
		if kind := fmt.Sprint(object["apiVersion"], object["kind"]); len(data) > size[kind] {
			largest[kind], size[kind] = object, len(data)
		}
	}
	var out []map[string]any
	for _, kind := range slices.Sorted(maps.Keys(largest)) {
		out = append(out, largest[kind])
	}
	return out
}
