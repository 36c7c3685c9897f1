package crd_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

const goldenDir = "../../golden"

// Every object of every golden tree must be one that the API server takes, with
// the CRDs of exactly the chart versions that the tree's Applications name.
func TestGoldenTrees(t *testing.T) {
	trees, err := filepath.Glob(filepath.Join(goldenDir, "*", "root.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(trees) == 0 && os.Getenv(upstreamtest.RequiredVariable) != "" {
		t.Fatalf("no golden tree in %s, but %s is set", goldenDir, upstreamtest.RequiredVariable)
	}
	for _, root := range trees {
		dir := filepath.Dir(root)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			for _, problem := range judgeTree(t, dir) {
				t.Error(problem)
			}
		})
	}
}

// Trees of specs that no example is like: a GPUCluster instead of a ClusterPolicy, virtual
// functions, an ApplicationSet, Flux on another cluster.
func TestTreesOfFurtherSpecs(t *testing.T) {
	for _, name := range []string{"gpucluster", "virtual-functions", "sets", "drivers", "kata", "flux", "subscription", "infiniband-functions"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			result, findings := generators.Render(schema.Input{Path: filepath.Join("../../generators/testdata/fields", name+".yaml")})
			if result == nil {
				t.Fatalf("findings: %+v", findings)
			}
			for _, file := range result.Tree.Files() {
				at := filepath.Join(dir, filepath.FromSlash(file.Path))
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, file.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for _, problem := range judgeTree(t, dir) {
				t.Error(problem)
			}
		})
	}
}

// judgeTree returns what is wrong with the objects of a tree.
func judgeTree(t *testing.T, dir string) []string {
	t.Helper()
	objects, err := examples.LoadTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	releases, err := examples.Releases(objects)
	if err != nil {
		t.Fatal(err)
	}
	charts := append([]crd.ChartVersion{crd.ArgoCD}, crd.Beneath...)
	for _, release := range releases {
		charts = append(charts, crd.ChartVersion{Name: release.Chart, Version: release.Version})
	}
	var further []string
	// What a catalog of OpenShift's installs brings the CRDs of the chart of its version.
	for key, object := range objects {
		if subscription, _ := object.(map[string]any); strings.HasPrefix(key, "Subscription/") {
			csv, _, _ := unstructured.NestedString(subscription, "spec", "startingCSV")
			if name, version, _ := strings.Cut(csv, "."); name == "gpu-operator-certified" {
				charts = append(charts, crd.ChartVersion{Name: "gpu-operator", Version: version})
			}
			olm, err := crd.OLMDefinitionFiles()
			if err != nil {
				t.Fatal(err)
			}
			further = append(further, olm...)
		}
	}
	files := append(definitions(t, charts...), further...)
	if slices.ContainsFunc(releases, func(r examples.Release) bool { return r.Project == "" }) {
		flux, err := crd.FluxDefinitionFiles("../flux/tools")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, flux...)
	}
	validator, err := crd.New(files...)
	if err != nil {
		t.Fatal(err)
	}
	keys := slices.Sorted(maps.Keys(objects))
	// Trees with rendered charts carry their CRDs.
	for _, key := range keys {
		if strings.HasPrefix(key, "CustomResourceDefinition/") {
			if err := validator.Add(key, objects[key].(map[string]any)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var problems []string
	for _, key := range keys {
		if strings.HasPrefix(key, examples.ValuesKey("")) {
			continue
		}
		for _, err := range validator.Validate(objects[key].(map[string]any)) {
			problems = append(problems, key+": "+err.Error())
		}
	}
	return problems
}

// A little tree by hand, so that the judge of trees is itself judged while golden
// trees come and go.
func TestTheJudgeOfTrees(t *testing.T) {
	const root = "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: root, namespace: argocd}, spec: {project: default, destination: {name: in-cluster}, source: {repoURL: https://git.example.com/a.git, path: a}}}"
	application := strings.NewReplacer("name: root", "name: c-gpu-operator", "path: a", "chart: gpu-operator, targetRevision: v26.7.0, helm: {releaseName: gpu-operator}").Replace(root)
	tree := func(driver string) string {
		dir := t.TempDir()
		for name, content := range map[string]string{
			"root.yaml":                        root,
			"argocd/c-gpu-operator.yaml":       application,
			"gpu-operator/nvidiadriver-a.yaml": driver,
			"gpu-operator/values.yaml":         "driver: {enabled: true}",
			"gpu-operator/kustomization.yaml":  "resources: [nvidiadriver-a.yaml]",
		} {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	good := "{apiVersion: nvidia.com/v1alpha1, kind: NVIDIADriver, metadata: {name: a}, spec: {driverType: gpu, image: driver}}"
	if problems := judgeTree(t, tree(good)); len(problems) > 0 {
		t.Errorf("a good tree: %q", problems)
	}
	wrong := strings.Replace(good, "image:", "images:", 1)
	if problems := judgeTree(t, tree(wrong)); !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, `unknown field "spec.images"`) }) {
		t.Errorf("a wrong field: %q", problems)
	}
	foreign := strings.Replace(good, "nvidia.com", "nvidia.example.com", 1)
	if problems := judgeTree(t, tree(foreign)); !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, "unknown kind") }) {
		t.Errorf("a kind of no chart: %q", problems)
	}
}
