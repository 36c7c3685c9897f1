package generators_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
)

// TestHealthChecksGoIntoTheSettingsOfArgoCD includes the component as an administrator
// would, in a kustomization with a ConfigMap such as Argo CD's.
func TestHealthChecksGoIntoTheSettingsOfArgoCD(t *testing.T) {
	text := laidOver(t, `{gitops: {argocd: {healthChecks: true, namespace: gitops}}}`)
	result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(text)})
	if result == nil {
		t.Fatal(findings)
	}
	fs := filesys.MakeFsInMemory()
	files := map[string]string{
		"/argocd/kustomization.yaml": "namespace: gitops\nresources: [cm.yaml]\ncomponents: [../tree/argocd-health]\n",
		"/argocd/cm.yaml":            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm, labels: {a: b}}\ndata: {url: https://argocd.example.com}\n",
	}
	for _, file := range result.Tree.Files() {
		if strings.HasPrefix(file.Path, "argocd-health/") {
			files["/tree/"+file.Path] = string(file.Data)
		}
	}
	for name, text := range files {
		if err := fs.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, "/argocd")
	if err != nil {
		t.Fatal(err)
	}
	out, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"name: argocd-cm", "namespace: gitops", "url: https://argocd.example.com", "resource.customizations.health.nvidia.com_ClusterPolicy: |"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if built.Size() != 1 {
		t.Errorf("%d objects", built.Size())
	}
}
