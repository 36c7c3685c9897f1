package chartindex

import (
	"reflect"
	"testing"
)

func TestProjectHoldsWhatAnAppProjectMustAllow(t *testing.T) {
	x := &Index{
		Objects: []Object{
			{APIVersion: "v1", Kind: "Secret", Scope: ScopeNamespaced, Namespaces: []string{"kube-system"}},
			{APIVersion: "apps/v1", Kind: "Deployment", Scope: ScopeNamespaced, NamespacesFrom: []Path{{"ns"}}},
			{APIVersion: "policy/v1", Kind: "PodDisruptionBudget", Scope: ScopeNamespaced, NamespacesFrom: []Path{{"ns"}}},
			{APIVersion: "policy/v1beta1", Kind: "PodDisruptionBudget", Scope: ScopeNamespaced, Namespaces: []string{"default", "kube-system"}},
			{APIVersion: "nvidia.com/v1", Kind: "ClusterPolicy", Scope: ScopeCluster},
			{APIVersion: "v1", Kind: "Namespace", Scope: ScopeCluster},
			{APIVersion: "*", Kind: "Thing", Scope: ScopeUnknown},
		},
		Dynamic: []Dynamic{{Template: "t", Path: Path{"extra"}}},
	}
	want := Project{
		Cluster:        []GroupKind{{"", "Namespace"}, {"nvidia.com", "ClusterPolicy"}},
		Namespaced:     []GroupKind{{"", "Secret"}, {"apps", "Deployment"}, {"policy", "PodDisruptionBudget"}},
		Unscoped:       []GroupKind{{"*", "Thing"}},
		Namespaces:     []string{"default", "kube-system"},
		NamespacesFrom: []Path{{"ns"}},
		Dynamic:        []Dynamic{{Template: "t", Path: Path{"extra"}}},
	}
	if got := x.Project(); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
