package judge_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpugen/gpugen/e2e/apiserver/judge"
)

// goldenTrees: the server takes each golden tree, in any order, without a word,
// and keeps it as it is.
func (k *kubernetes) goldenTrees(t *testing.T) {
	for _, name := range foldersWith(t, goldenDir, "root.yaml") {
		files := os.DirFS(filepath.Join(goldenDir, name))
		tree, err := judge.Load(files)
		if err != nil {
			t.Fatal(err)
		}
		// A tree promises nothing about Kubernetes older than its own.
		if tree.KubernetesMinor() > k.minor {
			continue
		}
		t.Run(name, func(t *testing.T) {
			orders := []judge.Order{judge.Shuffled(1)}
			if k.minor == newest {
				orders = append(orders, judge.Reverse())
			}
			report := k.accepts(t, files, orders...)
			if report.Objects == 0 {
				t.Error("nothing was applied")
			}
			for _, one := range report.Defaulted {
				t.Logf("left to the server: %s: %s = %s", one.Kind, one.Path, one.Value)
			}
		})
	}
}
