package helm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// TestScopesAgreeWithTheOpenAPIOfKubernetes asks the API description that
// kustomize carries about every kind in it, and misses none.
func TestScopesAgreeWithTheOpenAPIOfKubernetes(t *testing.T) {
	asked := 0
	for name, definition := range openapi.Schema().Definitions {
		list, _ := definition.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, item := range list {
			gvk, _ := item.(map[string]any)
			group, _ := gvk["group"].(string)
			version, _ := gvk["version"].(string)
			kind, _ := gvk["kind"].(string)
			apiVersion := version
			if group != "" {
				apiVersion = group + "/" + version
			}
			namespaced, found := openapi.IsNamespaceScoped(yaml.TypeMeta{APIVersion: apiVersion, Kind: kind})
			if !found || kind == "Scale" {
				continue // no object of its own: a list, an option, a subresource
			}
			asked++
			want := chartindex.ScopeCluster
			if namespaced {
				want = chartindex.ScopeNamespaced
			}
			if got := builtinScopes[groupKind{group, kind}]; got != want {
				t.Errorf("%s (%s %s): got %q, want %s", name, apiVersion, kind, got, want)
			}
		}
	}
	if asked < 60 {
		t.Errorf("only %d kinds compared", asked)
	}
	t.Logf("%d kinds compared", asked)
}

func TestNoKindHasTwoScopes(t *testing.T) {
	kinds := 0
	for _, table := range []map[string]string{clusterKinds, namespacedKinds} {
		for _, list := range table {
			kinds += len(strings.Fields(list))
		}
	}
	if kinds != len(builtinScopes) {
		t.Errorf("%d kinds are listed, but %d are known", kinds, len(builtinScopes))
	}
}

// TestScopesAgreeWithTheCRDsOfOtherCharts compares the kinds that charts render
// although they do not define them.
func TestScopesAgreeWithTheCRDsOfOtherCharts(t *testing.T) {
	asked := 0
	for _, chart := range []string{"cert-manager/v1.21.1", "node-feature-discovery/0.19.0", "prometheus-operator-crds/31.0.1"} {
		dir := upstreamtest.Dir(t, filepath.FromSlash(chart), "crds")
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range splitYAML(data) {
				crd, ok, err := readCRD(text, map[string]map[string]string{})
				if err != nil || !ok {
					t.Fatalf("%s: %v", file, err)
				}
				if scope, known := builtinScopes[groupKind{crd.Group, crd.Kind}]; known {
					asked++
					if scope != crd.Scope {
						t.Errorf("%s: got %s, the CRD says %s", crd.Name, scope, crd.Scope)
					}
				}
			}
		}
	}
	if want := 12; asked < want {
		t.Errorf("only %d kinds compared, want %d", asked, want)
	}
}
