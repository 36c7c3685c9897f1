package generators_test

import (
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// TestTheSidecarIsPatchedIntoTheRepoServer includes deploy/argocd as an administrator
// would, in a kustomization with a Deployment such as Argo CD's.
func TestTheSidecarIsPatchedIntoTheRepoServer(t *testing.T) {
	fs := filesys.MakeFsInMemory()
	for _, name := range []string{"kustomization.yaml", "plugin.yaml", "sidecar.yaml"} {
		data, err := os.ReadFile("../deploy/argocd/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := fs.WriteFile("/gpugen/"+name, data); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"/argocd/kustomization.yaml": "namespace: argocd\nresources: [repo-server.yaml]\ncomponents: [../gpugen]\nimages:\n- {name: gpugen, newName: registry.example.com/gpugen, newTag: v1}\n",
		"/argocd/repo-server.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: argocd-repo-server, image: argocd}]
      volumes: [{name: var-files, emptyDir: {}}, {name: plugins, emptyDir: {}}]
`,
	} {
		if err := fs.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, "/argocd")
	if err != nil {
		t.Fatal(err)
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"name: argocd-repo-server", "image: registry.example.com/gpugen:v1", "readOnlyRootFilesystem: true", "runAsUser: 999",
		"name: gpugen-plugin-", "args: [cmp, generate]",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
