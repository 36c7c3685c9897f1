//go:build linux

package harness_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/e2e/argocd/harness"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// Every golden tree is applied as its README says, and comes to rest.
func TestGoldenTrees(t *testing.T) {
	trees, err := filepath.Glob(filepath.Join(root, "golden", "*", "root.yaml"))
	if err != nil || len(trees) == 0 {
		t.Fatal("no golden trees", err)
	}
	for _, file := range trees {
		tree := filepath.Dir(file)
		t.Run(filepath.Base(tree), func(t *testing.T) {
			s := start(t, tree)
			s.publish(t, tree)
			s.settle(t, 5*time.Minute)
		})
	}
}

func start(t *testing.T, tree string) *site {
	t.Helper()
	if reason := os.Getenv(skipVariable); reason != "" {
		t.Skip(reason)
	}
	began := time.Now()
	programs, err := filepath.Abs(filepath.Join(build, "bin"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSite(tree, upstreamtest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(filepath.Join(build, "runs", filepath.Base(tree)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s.Harness, err = harness.Start(t.Context(), harness.Programs{Dir: programs, ArgoCD: os.Getenv(sourceVariable)}, dir, s.minor, s.nodes())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		var lines []string
		total := int64(0)
		for name, peak := range s.Stop() {
			total += peak
			lines = append(lines, fmt.Sprintf("%s %d MiB", name, peak>>20))
		}
		t.Logf("%d MiB: %s", total>>20, strings.Join(lines, ", "))
	})
	if err := s.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("up after %.1f s", time.Since(began).Seconds())
	return s
}
