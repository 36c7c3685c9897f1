package crd_test

import (
	"os"
	"testing"

	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// definitions returns the CRD files of charts among the upstream data.
func definitions(t testing.TB, charts ...crd.ChartVersion) []string {
	t.Helper()
	upstream := upstreamtest.Dir(t)
	var files []string
	for _, chart := range charts {
		found, err := crd.DefinitionFiles(upstream, chart)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	return files
}

func newValidator(t testing.TB, charts ...crd.ChartVersion) *crd.Validator {
	t.Helper()
	validator, err := crd.New(definitions(t, charts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return validator
}

func documents(t testing.TB, yaml string) []map[string]any {
	t.Helper()
	out, err := examples.Documents([]byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func documentsIn(t testing.TB, file string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return documents(t, string(data))
}

func TestChartVersionsAreFoundWithAndWithoutV(t *testing.T) {
	for _, chart := range []crd.ChartVersion{{"gpu-operator", "26.7.0"}, {"gpu-operator", "v26.7.0"}, {"kueue", "0.19.2"}, {"kueue", "v0.19.2"}} {
		if len(definitions(t, chart)) == 0 {
			t.Errorf("no CRDs of %v", chart)
		}
	}
	if files := definitions(t, crd.ChartVersion{Name: "gpu-operator", Version: "v0.0.1"}); len(files) > 0 {
		t.Errorf("found %v", files)
	}
}
