//go:build linux

package flux_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// small is a cluster with a chart, objects beside it and two tenants, smaller the same with
// one tenant and without smoke tests. They are laid over an example.
const (
	small = `package cluster

smokeTests: enabled: true
tenants: {
	red: {namespaces: ["red"], quota: shared: gpus: 4}
	blue: {namespaces: ["blue"], quota: shared: gpus: 4}
}
`
	smaller = `package cluster

tenants: red: {namespaces: ["red"], quota: shared: gpus: 4}
`
	devPath = "clusters/dev/tree"
	// ofSmall are its Kustomizations, with the root: the chart's objects, smoke tests,
	// policies, and the tenants.
	ofSmall = 6
)

// render renders a spec of an example with a change laid over it.
func render(t *testing.T, change string) string {
	t.Helper()
	spec, out := t.TempDir(), filepath.Join(t.TempDir(), "tree")
	for name, text := range map[string][]byte{"cluster.cue": read(t, filepath.Join(root, "examples", "dev-time-slicing", "cluster.cue")), "change.cue": []byte(change)} {
		if err := os.WriteFile(filepath.Join(spec, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if said, err := exec.CommandContext(t.Context(), program("gpugen"), "render", spec, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return out
}

// What stands for the parts of small: each of another component.
var (
	quotaOfBlue = object("v1", "ResourceQuota", "blue", "gpus")
	quotaOfRed  = object("v1", "ResourceQuota", "red", "gpus")
	smokeTest   = object("batch/v1", "CronJob", "gpu-smoke-tests", "cuda-shared-share")
	policy      = object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "", "gpugen-gpu-pods")
	operator    = object("apps/v1", "Deployment", "gpu-operator", "gpu-operator")
	definition  = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "clusterpolicies.nvidia.com")
)

func ofNamespace(name string) *unstructured.Unstructured { return object("v1", "Namespace", "", name) }

// Under deletion: cascade, what leaves the tree goes, and nothing else; with the root goes
// all, but namespaces and CRDs.
func TestCascade(t *testing.T) {
	if reason := os.Getenv(skipVariable); reason != "" {
		t.Skip(reason)
	}
	const by = "gitops: flux: deletion: \"cascade\"\n"
	first := render(t, small+by)
	s := start(t, first, false)
	git := s.follow(t, devPath, first)
	s.settle(t, ofSmall, 1)
	all := []*unstructured.Unstructured{quotaOfBlue, quotaOfRed, smokeTest, policy, operator, definition, ofNamespace("blue"), ofNamespace("gpu-smoke-tests")}
	before := s.uids(t, all)
	for _, o := range all {
		if before[o] == "" {
			t.Fatalf("there is no %s %s", o.GetKind(), o.GetName())
		}
	}

	if _, err := git.Commit(devPath, render(t, smaller+by), "a tenant and the smoke tests less"); err != nil {
		t.Fatal(err)
	}
	s.gone(t, quotaOfBlue, smokeTest)
	s.settle(t, ofSmall-2, 1)
	stay := []*unstructured.Unstructured{quotaOfRed, policy, operator, definition, ofNamespace("blue"), ofNamespace("gpu-smoke-tests")}
	s.stays(t, before, stay[:4])
	for o, uid := range s.uids(t, stay[4:]) {
		if uid == "" {
			t.Errorf("Namespace %s is gone", o.GetName())
		}
	}

	if err := s.flux.Resource(resources["Kustomization"]).Namespace(namespace).Delete(t.Context(), "dev", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.gone(t, quotaOfRed, policy, operator,
		object("helm.toolkit.fluxcd.io/v2", "HelmRelease", namespace, "dev-gpu-operator"),
		object("source.toolkit.fluxcd.io/v1", "HelmRepository", namespace, "dev-gpu-operator"),
		object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", namespace, "dev-gpu-operator"),
	)
	s.stays(t, before, []*unstructured.Unstructured{definition})
	for o, uid := range s.uids(t, []*unstructured.Unstructured{ofNamespace("gpu-operator"), ofNamespace("red")}) {
		if uid == "" {
			t.Errorf("Namespace %s is gone", o.GetName())
		}
	}
}

// Flux in a hub brings a tree to the cluster of a kubeconfig: Flux's own objects stay at the
// hub, and all else goes to the cluster.
func TestHub(t *testing.T) {
	if reason := os.Getenv(skipVariable); reason != "" {
		t.Skip(reason)
	}
	tree := render(t, small+"gitops: flux: kubeConfigSecret: \"spoke\"\n")
	s := start(t, tree, true)
	s.apply(t, fmt.Appendf(nil, "apiVersion: v1\nkind: Secret\nmetadata: {name: spoke, namespace: flux-system}\nstringData: {value: %q}\n", kubeconfig(t, s.Server)))
	s.follow(t, devPath, tree)
	s.settle(t, ofSmall, 1)
	for o, uid := range s.uids(t, []*unstructured.Unstructured{quotaOfBlue, quotaOfRed, smokeTest, policy, operator, definition}) {
		if uid == "" {
			t.Errorf("there is no %s %s at the cluster", o.GetKind(), o.GetName())
		}
		if there, err := s.hub.Exists(t.Context(), o); err != nil || there {
			t.Errorf("%s %s is at the hub (%v)", o.GetKind(), o.GetName(), err)
		}
	}
	for _, name := range []string{"kustomizations.kustomize.toolkit.fluxcd.io", "helmreleases.helm.toolkit.fluxcd.io"} {
		if there, err := s.Exists(t.Context(), object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", name)); err != nil || there {
			t.Errorf("%s is at the cluster (%v)", name, err)
		}
	}
}

// uids are those of objects of the cluster, by object; "" of what is not there.
func (s *site) uids(t *testing.T, objects []*unstructured.Unstructured) map[*unstructured.Unstructured]types.UID {
	t.Helper()
	out := map[*unstructured.Unstructured]types.UID{}
	for _, o := range objects {
		there, err := s.Exists(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if out[o] = ""; there {
			answer := s.Get(t.Context(), o)
			if answer.Err != nil {
				t.Fatal(answer.Err)
			}
			out[o] = answer.Object.GetUID()
		}
	}
	return out
}

// gone waits until objects of the cluster are gone.
func (s *site) gone(t *testing.T, objects ...*unstructured.Unstructured) {
	t.Helper()
	for _, o := range objects {
		s.eventually(t, o.GetKind()+" "+o.GetName()+" is gone", func() bool {
			there, err := s.Exists(t.Context(), o)
			return err == nil && !there
		})
	}
}

// stays holds objects against those of before.
func (s *site) stays(t *testing.T, before map[*unstructured.Unstructured]types.UID, objects []*unstructured.Unstructured) {
	t.Helper()
	for o, uid := range s.uids(t, objects) {
		if uid != before[o] {
			t.Errorf("%s %s is gone, or was made anew", o.GetKind(), o.GetName())
		}
	}
}
