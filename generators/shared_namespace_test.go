package generators_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/verify"
	"github.com/gpugen/gpugen/schema"
)

// A namespace of two tenants is a finding of the rules, and one of the tree if
// nobody heeds that: not an error of gpugen's.
func TestANamespaceOfTwoTenantsIsAFindingOfTheTreeAsWell(t *testing.T) {
	var spec map[string]any
	if err := yaml.Unmarshal([]byte(withTenants), &spec); err != nil {
		t.Fatal(err)
	}
	spec["scheduling"] = map[string]any{"gang": "volcano", "queue": "kueue"}
	spec["tenants"] = map[string]any{
		"t": map[string]any{"namespaces": []any{"shared"}, "quota": map[string]any{"p": map[string]any{"gpus": 8}}},
		"u": map[string]any{"namespaces": []any{"shared"}, "quota": map[string]any{"p": map[string]any{"gpus": 8}}},
	}
	text, err := yaml.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	cluster, _ := schema.Evaluate(schema.Input{Path: "-", Stdin: strings.NewReader(string(text))})
	if cluster == nil {
		t.Fatal("the spec does not resolve")
	}
	p, err := plan.New(cluster)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range verify.Objects(p, cluster.Spec) {
		if f.ID == "TREE-004" && strings.Contains(f.Message, "Namespace shared") {
			return
		}
	}
	t.Errorf("%+v", verify.Objects(p, cluster.Spec))
}
