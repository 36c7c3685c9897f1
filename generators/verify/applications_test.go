package verify

import (
	"strings"
	"testing"

	"github.com/gpugen/gpugen/generators/tree"
)

const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: research-kueue
  annotations:
    argocd.argoproj.io/compare-options: IncludeMutationWebhook=true,ServerSideDiff=true
spec:
  syncPolicy:
    syncOptions:
    - ServerSideApply=true
`

const cleanup = `apiVersion: batch/v1
kind: Job
metadata:
  name: cleanup
  annotations:
    helm.sh/hook: pre-delete
`

func found(files map[string]string) []string {
	var t tree.Tree
	for path, data := range files {
		t.Add(path, []byte(data))
	}
	var ids []string
	for _, f := range manifests(&t) {
		ids = append(ids, f.ID)
	}
	return ids
}

func TestManifestsThatArgoCDWouldTreatBadly(t *testing.T) {
	for _, test := range []struct {
		name, want string
		files      map[string]string
	}{
		{"an Application as gpugen writes it", "", map[string]string{"argocd/kueue.yaml": application}},
		{"no server-side apply: CRDs above 262144 bytes fail", "ARGO-001", map[string]string{"argocd/kueue.yaml": strings.Replace(application, "ServerSideApply=true", "ServerSideApply=false", 1)}},
		{"no server-side apply of the root", "ARGO-001", map[string]string{"root.yaml": strings.Replace(application, "ServerSideApply=true", "PruneLast=true", 1)}},
		{"no server-side diff: fields that a CRD defaults differ for ever", "ARGO-002", map[string]string{"argocd/kueue.yaml": strings.Replace(application, "ServerSideDiff=true", "IgnoreExtraneous", 1)}},
		{"a Helm hook among the objects: kubectl apply would run it at once", "ARGO-004", map[string]string{"gpu-operator/job-cleanup.yaml": cleanup}},
		{"a hook that values speak of", "", map[string]string{"gpu-operator/values.yaml": cleanup}},
		{"an object that only mentions hooks", "", map[string]string{"a/configmap-a.yaml": "kind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: helm.sh/hook\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(found(test.files), " "); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

// Every finding of this package is explained.
func TestEveryFindingIsListed(t *testing.T) {
	for _, id := range []string{"ARGO-001", "ARGO-002", "ARGO-004"} {
		if f := finding(id, "a"); f.Why == "" || f.Fix == "" {
			t.Errorf("%s is not explained", id)
		}
	}
}
