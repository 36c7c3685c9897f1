//go:build linux

package harness_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gpugen/gpugen/e2e/argocd/harness"
)

// What Helm 3 installed becomes Argo CD's as the README of the tree says: no object is
// made anew, no Pod restarts, and no field stays Helm's.
func TestAdoption(t *testing.T) {
	const by = `gitops: argocd: sync: automated: false
components: "gpu-operator": argocd: annotations: "argocd.argoproj.io/client-side-apply-migration-manager": "helm"
`
	tree := render(t, "dev-time-slicing", small+by)
	s := start(t, tree)
	s.helmInstall(t, filepath.Join(tree, "gpu-operator", "values.yaml"))
	release := s.ofHelm(t)
	if len(release) == 0 {
		t.Fatal("Helm installed nothing")
	}

	pods := s.pods(t)

	// The Applications appear, and change nothing yet.
	s.commit(t, tree)
	s.applyRoot(t, tree)
	s.sync(t, "dev")
	if moved := harness.Moved(same(release, release), same(s.ofHelm(t), release)); len(moved) > 0 {
		t.Errorf("before any component was synced: %v", moved)
	}

	// One after the other, in the order of the waves.
	for _, name := range []string{"dev-gpu-operator", "dev-tenants", "dev-smoke-tests", "dev-tenant-blue", "dev-tenant-red"} {
		s.sync(t, name)
	}
	tracked := s.tracked(t)
	if moved := harness.Moved(same(release, release), same(tracked, release)); len(moved) > 0 {
		t.Errorf("when Argo CD took it over: %v", moved)
	}
	for key := range release {
		if slices.Contains(tracked[key].Managers, "helm") {
			t.Errorf("still has fields of Helm's: %s", key)
		}
	}
	if left := s.ofHelm(t); len(left) > 0 {
		t.Errorf("still Helm's: %v", slices.Sorted(maps.Keys(left)))
	}
	if err := s.DeleteSecrets(t.Context(), "gpu-operator", "owner=helm,name=gpu-operator"); err != nil {
		t.Fatal(err)
	}

	// Both settings are taken out again.
	after := render(t, "dev-time-slicing", small)
	s.commit(t, after)
	s.applyRoot(t, after)
	s.refreshRoot(t)
	rest := s.settle(t, settleLimit)
	explain(t, rest)
	if moved := harness.Moved(same(release, release), same(s.tracked(t), release)); len(moved) > 0 {
		t.Errorf("once Argo CD syncs by itself: %v", moved)
	}
	if moved := harness.Moved(pods, s.pods(t)); len(moved) > 0 {
		t.Errorf("Pods restarted: %v", moved)
	}
	note(t, fmt.Sprintf("adoption of a Helm release of %d objects and %d Pods: %s; none made anew, no Pod restarted", len(release), len(pods), summary(rest)))
}

// helmInstall installs the charts of a tree as Helm 3 would, which applied nothing at
// the server.
func (s *site) helmInstall(t *testing.T, values string) {
	t.Helper()
	for _, r := range s.releases {
		err := s.Helm(t.Context(), "install", r.Name, r.Chart, "--repo", r.RepoURL, "--version", r.Version, "--namespace", r.Namespace,
			"--create-namespace", "--values", values, "--server-side=false")
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (s *site) ofHelm(t *testing.T) map[string]harness.Object {
	t.Helper()
	out, err := s.Released(t.Context(), "gpu-operator")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sync syncs an Application by hand; what cannot be synced yet is tried again, as a
// person would.
func (s *site) sync(t *testing.T, name string) {
	t.Helper()
	const tries = 5
	for try := 1; ; try++ {
		said, err := s.Sync(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if said == "" {
			return
		}
		if try == tries {
			t.Fatalf("%s: %s", name, said)
		}
		t.Logf("%s: %s", name, said)
	}
}

// same has those of the objects that are in a release, to be told from ones made anew.
func same(objects, release map[string]harness.Object) map[string]harness.Object {
	out := map[string]harness.Object{}
	for key, o := range objects {
		if _, ok := release[key]; ok {
			out[key] = harness.Object{UID: o.UID}
		}
	}
	return out
}

func (s *site) pods(t *testing.T) map[string]harness.Object {
	t.Helper()
	out, err := s.Pods(t.Context(), "gpu-operator")
	if err != nil {
		t.Fatal(err)
	}
	return out
}
