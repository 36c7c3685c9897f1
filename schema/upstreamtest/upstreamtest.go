// Package upstreamtest finds the values, schemas and CRDs of the real charts for
// tests. It is the only place that names their location, and nothing but tests
// may import it.
package upstreamtest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Variable names the directory that holds <chart>/<version>/ folders.
const Variable = "GPUGEN_UPSTREAM"

// RequiredVariable, when not empty, turns a missing directory from a skip into a
// failure.
const RequiredVariable = "GPUGEN_REQUIRE_UPSTREAM"

// Dir returns the directory of the upstream data joined with elem. The test is
// skipped where the data is absent, and fails where the environment says that
// it must be there.
func Dir(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv(Variable)
	if root == "" {
		root = filepath.Join(moduleRoot(), "..", "shared", "upstream")
	}
	dir := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv(RequiredVariable) != "" {
			t.Fatalf("upstream data is required but missing: %v", err)
		}
		t.Skipf("no upstream data (%s): %v", Variable, err)
	}
	return dir
}

// moduleRoot is found from this source file, so that the working directory of a
// test does not matter.
func moduleRoot() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return "."
	}
	return filepath.Join(filepath.Dir(file), "..", "..")
}
