package examples_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/examples"
)

const (
	root = `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: c, namespace: argocd}, spec: {source: {path: a}}}`

	application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: c-gpu-operator
  namespace: argocd
  labels: {gpugen.github.io/cluster: c}
spec:
  project: gpu
  destination: {server: https://kubernetes.default.svc, namespace: gpu-system}
  sources:
  - repoURL: https://helm.ngc.nvidia.com/nvidia
    chart: gpu-operator
    targetRevision: v26.3.3
    helm:
      releaseName: operator
      kubeVersion: 1.34.2
      HELM
  - {repoURL: https://git.example.com/a.git, path: a/gpu-operator, ref: values}
`
	fromFile = "valueFiles: [$values/a/gpu-operator/values.yaml]"
	inline   = "valuesObject: {devicePlugin: {enabled: false}}"
)

// smallTree is a tree whose one component has its values in a file.
func smallTree() map[string]string {
	return map[string]string{
		"README.md":                           "# not read",
		"kustomization.yaml":                  "resources: [argocd]",
		"required-node-labels.yaml":           "- {label: a, pool: b}",
		".gpugen/state.yaml":                  "a: b",
		"root.yaml":                           root,
		"argocd/gpu-operator.yaml":            strings.Replace(application, "HELM", fromFile, 1),
		"gpu-operator/kustomization.yaml":     "resources: []",
		"gpu-operator/values.yaml":            "devicePlugin: {enabled: false}\nreplicas: 3\nshare: 0.5",
		"gpu-operator/nvidiadriver-all.yaml":  "# a header\n---\napiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata: {name: a}\n---\n---\napiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata: {name: b}\n",
		"gpu-operator/configmap-scripts.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: scripts, namespace: gpu-operator}\ndata:\n  a: |\n    ---\n    x\n",
	}
}

func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestATreeIsReadBackIntoKeyedObjects(t *testing.T) {
	objects, err := examples.LoadTree(writeTree(t, smallTree()))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Application/argocd/c", "Application/argocd/c-gpu-operator", "ConfigMap/gpu-operator/scripts",
		"NVIDIADriver//a", "NVIDIADriver//b", "values/gpu-operator",
	}
	if got := slices.Sorted(maps.Keys(objects)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	wantValues := map[string]any{"devicePlugin": map[string]any{"enabled": false}, "replicas": int64(3), "share": 0.5}
	if got := objects["values/gpu-operator"]; !reflect.DeepEqual(got, wantValues) {
		t.Errorf("values %#v", got)
	}
	data := objects["ConfigMap/gpu-operator/scripts"].(map[string]any)["data"].(map[string]any)
	if data["a"] != "---\nx\n" {
		t.Errorf("a document marker inside a block scalar cut it: %q", data["a"])
	}
}

func TestInlineValuesHaveTheSameKeyAsValuesInAFile(t *testing.T) {
	files := smallTree()
	delete(files, "gpu-operator/values.yaml")
	files["argocd/gpu-operator.yaml"] = strings.Replace(application, "HELM", inline, 1)
	objects, err := examples.LoadTree(writeTree(t, files))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"devicePlugin": map[string]any{"enabled": false}}
	if got := objects["values/gpu-operator"]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v", got)
	}
	files["argocd/gpu-operator.yaml"] = strings.Replace(application, "HELM", "values: 'devicePlugin: {enabled: false}'", 1)
	if objects, err = examples.LoadTree(writeTree(t, files)); err != nil {
		t.Fatal(err)
	}
	if got := objects["values/gpu-operator"]; !reflect.DeepEqual(got, want) {
		t.Errorf("as text: got %#v", got)
	}
}

func TestApplicationsOfAnApplicationSetAreRead(t *testing.T) {
	files := smallTree()
	files["argocd/gpu-operator.yaml"] = `
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: c, namespace: argocd}
spec:
  goTemplate: true
  generators: [{list: {elements: [{component: gpu-operator}]}}]
  template:
    metadata: {name: "c-{{.component}}"}
    spec: {project: gpus, destination: {server: x, namespace: y}, sources: [{chart: gpu-operator, repoURL: z, helm: {valueFiles: ["$values/t/{{.component}}/values.yaml"]}}]}
`
	objects, err := examples.LoadTree(writeTree(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if objects["Application/argocd/c-gpu-operator"] == nil || objects["ApplicationSet/argocd/c"] == nil {
		t.Errorf("got %q", slices.Sorted(maps.Keys(objects)))
	}
}

func TestTreesThatCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct{ file, content, want string }{
		"not a tree":                  {"root.yaml", "", "root.yaml"},
		"the same object twice":       {"other/again.yaml", "{apiVersion: nvidia.com/v1, kind: NVIDIADriver, metadata: {name: a}}", "is already in gpu-operator/nvidiadriver-all.yaml"},
		"values in two places":        {"argocd/gpu-operator.yaml", strings.Replace(application, "HELM", inline, 1), "given twice"},
		"a file that is no object":    {"gpu-operator/patch.yaml", "{spec: {}}", "not a Kubernetes object"},
		"an object without a name":    {"gpu-operator/x.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: a}}", "not a Kubernetes object"},
		"a document that is a list":   {"gpu-operator/x.yaml", "- a", "not a mapping"},
		"a key twice":                 {"gpu-operator/x.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, name: b}}", "already set"},
		"two documents of values":     {"gpu-operator/values.yaml", "a: 1\n---\na: 2\n", "more than one document"},
		"values as a list":            {"argocd/gpu-operator.yaml", strings.Replace(application, "HELM", "values: '[a]'", 1), "helm.values is not one document"},
		"values as parameters":        {"argocd/gpu-operator.yaml", strings.Replace(application, "HELM", "parameters: [{name: a, value: b}]", 1), "helm.parameters is not read here"},
		"values file of another repo": {"argocd/gpu-operator.yaml", strings.Replace(application, "HELM", "valueFiles: [values-prod.yaml]", 1), `"values-prod.yaml" is not in the tree`},
		"an ApplicationSet":           {"argocd/set.yaml", "{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: a, namespace: argocd}, spec: {goTemplate: true, generators: [{git: {}}]}}", "not known here"},
	} {
		t.Run(name, func(t *testing.T) {
			files := smallTree()
			files[test.file] = test.content
			if test.content == "" {
				delete(files, test.file)
			}
			_, err := examples.LoadTree(writeTree(t, files))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want an error with %q, got %v", test.want, err)
			}
		})
	}
}

func TestKindsOfTwoGroupsShareNoKey(t *testing.T) {
	files := smallTree()
	files["kueue/a.yaml"] = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {name: dc}}"
	files["kai/a.yaml"] = "{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: dc}}"
	files["kai/b.yaml"] = "{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: other}}"
	objects, err := examples.LoadTree(writeTree(t, files))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"Topology.kueue.x-k8s.io//dc", "Topology.kai.scheduler//dc", "Topology//other"} {
		if objects[key] == nil {
			t.Errorf("no %s among %q", key, slices.Sorted(maps.Keys(objects)))
		}
	}
}

func TestReleasesAreWhatTheApplicationsInstall(t *testing.T) {
	objects, err := examples.LoadTree(writeTree(t, smallTree()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := examples.Releases(objects)
	if err != nil {
		t.Fatal(err)
	}
	want := []examples.Release{{
		Application: "c-gpu-operator",
		Component:   "gpu-operator",
		RepoURL:     "https://helm.ngc.nvidia.com/nvidia",
		Chart:       "gpu-operator",
		Version:     "v26.3.3",
		Name:        "operator",
		Namespace:   "gpu-system",
		Server:      "https://kubernetes.default.svc",
		Project:     "gpu",
		KubeVersion: "1.34.2",
		ValuesKeys:  []string{"values/gpu-operator"},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}
