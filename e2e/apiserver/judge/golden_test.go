package judge_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/gpugen/gpugen/e2e/apiserver/judge"
	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// goldenTrees: the server takes each golden tree, in any order, without a word,
// and keeps it as it is.
func (k *kubernetes) goldenTrees(t *testing.T) {
	for _, name := range foldersWith(t, goldenDir, "root.yaml") {
		tree := load(t, os.DirFS(path.Join(goldenDir, name)), k.read.externalOf(t, name)...)
		// A tree promises nothing about Kubernetes older than its own.
		if tree.KubernetesMinor() > k.minor {
			continue
		}
		t.Run(name, func(t *testing.T) {
			orders := []judge.Order{judge.Shuffled(1)}
			if k.minor == newest {
				orders = append(orders, judge.Reverse())
			}
			report := k.acceptsRendered(t, tree, orders...)
			if report.Objects == 0 {
				t.Error("nothing was applied")
			}
		})
	}
}

// externalOf lists the charts of the components that an example finds in its
// cluster; a fleet's tree has no example of its name.
func (e *examplesData) externalOf(t *testing.T, name string) []crd.ChartVersion {
	t.Helper()
	dir := path.Join(examplesDir, name)
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	if known, ok := e.external[name]; ok {
		return known
	}
	result, findings := generators.Render(schema.Input{Path: dir})
	if result == nil {
		t.Fatal(findings)
	}
	e.external[name] = external(t, result.Plan)
	return e.external[name]
}

// external are the charts whose CRDs the cluster has although no Application names them:
// of external components, and of operators that a Subscription brings. It takes the newest
// chart of the upstream data where the spec does not say a version.
func external(t *testing.T, p *plan.Plan) []crd.ChartVersion {
	t.Helper()
	var out []crd.ChartVersion
	for _, state := range p.States {
		chart := crd.ChartVersion{Name: state.Component, Version: state.Version}
		if state.State != "external" {
			// Of those with a chart in the tree the tree's own is taken.
			if _, err := os.Stat(filepath.Join(upstreamtest.Dir(t), chart.Name, chart.Version)); err == nil && chart.Version != "" {
				out = append(out, chart)
			}
			continue
		}
		entries, err := os.ReadDir(filepath.Join(upstreamtest.Dir(t), chart.Name))
		if chart.Version == "" && err == nil {
			chart.Version = slices.MaxFunc(entries, func(a, b os.DirEntry) int {
				newer := version.MustParseGeneric(a.Name()).GreaterThan(version.MustParseGeneric(b.Name()))
				return map[bool]int{true: 1, false: -1}[newer]
			}).Name()
		}
		out = append(out, chart)
	}
	return out
}
