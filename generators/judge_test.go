package generators_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gpugen/gpugen/generators"
	judge "github.com/gpugen/gpugen/generators/rendered"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// TestArgoCDFindsNoFaultInGoldenTrees is why a spec that brings nothing of its own is not
// judged again at each render.
func TestArgoCDFindsNoFaultInGoldenTrees(t *testing.T) {
	dirs, err := filepath.Glob("../golden/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			findings, err := generators.JudgeDir(os.DirFS(dir), judge.Options{})
			if err != nil {
				t.Fatal(err)
			}
			// Whether a namespace is there already, a tree does not say.
			findings = slices.DeleteFunc(findings, func(f diag.Finding) bool { return f.ID == "TREE-116" })
			if len(findings) > 0 {
				t.Errorf("%+v", findings)
			}
		})
	}
}

// The brackets of an IPv6 address are a pattern to Argo CD.
func TestAProjectAllowsAServerWithoutAName(t *testing.T) {
	text := laidOver(t, `gitops: {argocd: {destination: {server: "https://[2001:db8::1]:6443"}}}`)
	result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(text)})
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	tree := fstest.MapFS{}
	for _, f := range result.Tree.Files() {
		tree[f.Path] = &fstest.MapFile{Data: f.Data}
	}
	found, err := generators.JudgeDir(tree, judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.ID == "TREE-104" {
			t.Errorf("%+v", f)
		}
	}
}
