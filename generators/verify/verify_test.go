package verify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/generators/verify"
	"github.com/gpugen/gpugen/generators/worktree"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

// base is a good spec; what a case adds comes after it.
const base = `name: a-cluster-in-the-north
kubernetes: {version: "1.35.8", distribution: kubeadm}
gitops: {repoURL: https://git.example.com/platform/gpu, path: clusters/small}
nodePools: {p: {gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}}
`

func render(spec string) (*generators.Result, diag.List) {
	return generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(spec)})
}

// specs make findings of a kind, at a field of theirs.
var specs = []struct{ id, path, more string }{
	{"TREE-001", "name", "components: {a-component-with-a-name-that-is-long-enough-for-it: {objects: {n: {apiVersion: v1, kind: Namespace, metadata: {name: n}}}}}"},
	{"TREE-004", "components.mine.objects.a", "components: {mine: {objects: {a: {apiVersion: v1, kind: Namespace, metadata: {name: gpu-operator}}}}}"},
	{"TREE-007", `components."gpu-operator".argocd.ignoreDifferences[1]`, "components: {gpu-operator: {argocd: {ignoreDifferences: [{group: nvidia.com, kind: ClusterPolicy, jsonPointers: [/spec/cdi]}, {kind: ClusterPolicy, jsonPointers: [/spec/cdi]}]}}}"},
	{"TREE-007", `components."gpu-operator".argocd.ignoreDifferences[0]`, "components: {gpu-operator: {argocd: {ignoreDifferences: [{group: nvidia.com, kind: ClusterPolicy}]}}}"},
	{"TREE-007", `components."gpu-operator".argocd.ignoreDifferences[0]`, "components: {gpu-operator: {argocd: {ignoreDifferences: [{kind: Namespace, name: gpu-operators, jsonPointers: [/metadata/labels]}]}}}"},
	{"TREE-008", `components."gpu-operator".argocd.ignoreDifferences[0].jqPathExpressions[1]`, "components: {gpu-operator: {argocd: {ignoreDifferences: [{group: nvidia.com, kind: ClusterPolicy, jqPathExpressions: [.spec.cdi, /spec/cdi]}]}}}"},
	{"TREE-008", `components."gpu-operator".argocd.ignoreDifferences[0].jqPathExpressions[0]`, "components: {gpu-operator: {argocd: {ignoreDifferences: [{group: nvidia.com, kind: ClusterPolicy, jqPathExpressions: ['.spec | nosuchfunction']}]}}}"},
	{"TREE-006", `components."gpu-operator".patches[0]`, `components: {gpu-operator: {patches: [{target: {kind: Namespace}, patch: "- {op: remove, path: /spec/nothing}"}]}}`},
}

// A warning about a tree is waived like one about a spec, and so is a waiver of it judged.
func TestWarningsAboutTreesAreWaived(t *testing.T) {
	const ignored = "components: {gpu-operator: {argocd: {ignoreDifferences: [{kind: ClusterPolicy, jsonPointers: [/spec/cdi]}]}}}\n"
	const waived = "waivers: [{rule: TREE-007, at: components, reason: a controller of ours adds it}]\n"
	for name, c := range map[string]struct {
		more string
		want []string
	}{
		"found":             {ignored, []string{"TREE-007"}},
		"waived":            {ignored + waived, nil},
		"waived, not found": {waived, []string{"WAIVER-001"}},
	} {
		_, findings := render(base + c.more)
		var ids []string
		for _, f := range findings {
			ids = append(ids, f.ID)
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%s: %v, want %v", name, ids, c.want)
		}
	}
	for _, k := range slices.Concat(verify.Kinds, worktree.Kinds) {
		if k.Severity == diag.Warning && !strings.HasPrefix(k.ID, "TREE-") {
			t.Errorf("a waiver of %s is called unneeded before it is looked for", k.ID)
		}
	}
}

// Entries that say something of what is rendered are let through.
func TestDifferencesThatMatchAreNotWarnedOf(t *testing.T) {
	for _, entry := range []string{
		"{group: nvidia.com, kind: ClusterPolicy, jsonPointers: [/spec/cdi]}",
		"{group: nvidia.com, kind: ClusterPolicy, name: anything, jqPathExpressions: ['.spec.driver.env[]? | select(.name == \"A\")']}",
		"{group: '*', kind: '*', managedFieldsManagers: [operator]}",
		"{kind: Namespace, name: gpu-operator, jsonPointers: [/metadata/labels]}",
		"{group: apiextensions.k8s.io, kind: CustomResourceDefinition, jqPathExpressions: [.spec.conversion]}",
	} {
		_, findings := render(base + "components: {gpu-operator: {argocd: {ignoreDifferences: [" + entry + "]}}}\n")
		if len(findings) > 0 {
			t.Errorf("%s: %+v", entry, findings)
		}
	}
}

func TestEachKindIsFound(t *testing.T) {
	var kinds []string
	for _, c := range specs {
		_, findings := render(base + c.more + "\n")
		if !slices.ContainsFunc(findings, func(f diag.Finding) bool { return f.ID == c.id && f.Path == c.path }) {
			t.Errorf("%+v, want %s at %s", findings, c.id, c.path)
		}
		kinds = append(kinds, c.id)
	}
	// Names of components and files differ by themselves: only a defect makes one twice.
	result, findings := render(base)
	if len(findings) > 0 {
		t.Fatalf("%+v", findings)
	}
	twice := *result.Plan
	twice.Components = append(slices.Clone(twice.Components), plan.Component{Name: twice.Components[0].Name})
	files := &tree.Tree{}
	files.Add("a/b.yaml", nil)
	files.Add("a/B.yaml", nil)
	// The facts of a version that was added may be those of another one.
	like := plan.Component{Name: "like", Chart: &plan.Chart{Version: "2.0.0", Like: "1.0.0"}, Index: &chartindex.Index{}, Values: map[string]any{"a": 1}}
	twice.Components = append(twice.Components, like)
	for _, f := range verify.Check(&twice, files, &schema.Spec{}) {
		kinds = append(kinds, f.ID)
	}
	for _, id := range []string{"TREE-002", "TREE-003"} {
		if !slices.Contains(kinds, id) {
			t.Errorf("%s is not found where a defect makes a name twice", id)
		}
	}
	for _, kind := range verify.Kinds {
		if !slices.Contains(kinds, kind.ID) {
			t.Errorf("nothing is found of the kind %s", kind.ID)
		}
	}
}
