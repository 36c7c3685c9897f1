package charts_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpugen/gpugen/e2e/charts"
	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

const (
	goldenDir   = "../../golden"
	examplesDir = "../../examples"

	// chartsVariable names the directory of unpacked charts.
	chartsVariable = "GPUGEN_CHARTS"
	// kubeVersionVariable names the Kubernetes version for Applications that do
	// not set one.
	kubeVersionVariable = "GPUGEN_KUBE_VERSION"
	defaultKubeVersion  = "1.35.8"
)

// realCharts are the charts that a person has unpacked; without any the test is skipped.
func realCharts(t *testing.T) charts.Charts {
	t.Helper()
	dir := os.Getenv(chartsVariable)
	if dir == "" {
		t.Skipf("%s is not set: it names a directory of unpacked charts, one folder each", chartsVariable)
	}
	found, err := charts.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Every golden tree, together with what the real charts make of its values.
func TestGoldenTreesWithRealCharts(t *testing.T) {
	found := realCharts(t)
	trees, err := filepath.Glob(filepath.Join(goldenDir, "*", "root.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(trees) == 0 && os.Getenv(upstreamtest.RequiredVariable) != "" {
		t.Fatalf("no golden tree in %s, but %s is set", goldenDir, upstreamtest.RequiredVariable)
	}
	flux, err := crd.FluxDefinitionFiles("../flux/tools")
	if err != nil {
		t.Fatal(err)
	}
	options := charts.Options{
		Definitions: flux,
		Charts:      found,
		Upstream:    upstreamtest.Dir(t),
		KubeVersion: cmp.Or(os.Getenv(kubeVersionVariable), defaultKubeVersion),
	}
	for _, root := range trees {
		tree := filepath.Dir(root)
		t.Run(filepath.Base(tree), func(t *testing.T) {
			_, err := os.Stat(filepath.Join(examplesDir, filepath.Base(tree), "gpugen"))
			options := options
			options.Invented = err == nil
			judgeExample(t, tree, options)
		})
	}
}

func judgeExample(t *testing.T, tree string, options charts.Options) {
	report, err := charts.Judge(tree, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range report.Problems {
		t.Error(problem)
	}
	for _, note := range report.Notes {
		t.Log(note)
	}
	expectations := filepath.Join(examplesDir, filepath.Base(tree), "expect.cue")
	failures, err := examples.Check(expectations, examples.SectionCharts, report.Objects)
	if err != nil {
		t.Error(err)
	}
	for _, failure := range failures {
		t.Error(failure)
	}
}
