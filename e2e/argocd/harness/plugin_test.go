//go:build linux

package harness_test

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gpugen/gpugen/e2e/argocd/harness"
	"github.com/gpugen/gpugen/e2e/argocd/sandbox"
)

// What Argo CD gets from gpugen as its plugin is what the tree holds: once the
// plugin has brought everything, the tree changes nothing.
func TestPlugin(t *testing.T) {
	if sandbox.Inside() && !sandbox.Root() {
		t.Skip("the plugin's user, 999, needs root")
	}
	inline := small + "gitops: values: \"inline\"\n"
	spec := write(t, "dev-time-slicing", inline+"gitops: plugin: path: \"clusters/dev/spec\"\n")
	first := renderSpec(t, spec)
	tree := render(t, "dev-time-slicing", inline)
	// The tree for the plugin is pages and a root alone: what is expected is the other.
	s := start(t, tree)
	configuration, err := os.ReadFile(filepath.Join(root, "deploy", "argocd", "plugin.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Plugin(t.Context(), configuration); err != nil {
		t.Fatal(err)
	}
	address, _, _ := unstructured.NestedString(s.root.Object, "spec", "source", "repoURL")
	repository, err := s.Repository(address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repository.Commit("clusters/dev/spec", spec, "spec"); err != nil {
		t.Fatal(err)
	}
	s.applyRoot(t, first)
	rendered := s.settle(t, settleLimit)
	explain(t, rendered)
	before := s.tracked(t)

	s.commit(t, tree)
	s.applyRoot(t, tree)
	s.refreshRoot(t)
	rest := s.settle(t, settleLimit)
	for _, one := range rest.applications {
		if one.Status.Sync.Status != "Synced" {
			t.Errorf("%s", state(one))
		}
	}
	for _, moved := range harness.Moved(byArgoCD(before), byArgoCD(s.tracked(t))) {
		t.Errorf("the tree holds something else than the plugin gave: %s", moved)
	}
	note(t, "plugin: "+summary(rendered))
}

// byArgoCD has objects differ only in what Argo CD changed.
func byArgoCD(objects map[string]harness.Object) map[string]harness.Object {
	out := map[string]harness.Object{}
	for key, o := range objects {
		out[key] = harness.Object{UID: o.UID, Version: o.Applied}
	}
	return out
}
