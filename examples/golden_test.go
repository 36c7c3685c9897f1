package examples_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/internal/sample"
)

const (
	goldenDir = "../golden"

	// leastExpectations over all examples, each with content of its own.
	leastExpectations = 25
	// edits to each golden tree, and how many of them must break an expectation.
	edits, leastNoticed = 20, 15
	editSeed            = 1
)

// goldenTrees returns the names of the examples that have a rendered tree.
func goldenTrees(t *testing.T) []string {
	t.Helper()
	roots, err := filepath.Glob(filepath.Join(goldenDir, "*", "root.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, root := range roots {
		names = append(names, filepath.Base(filepath.Dir(root)))
	}
	return names
}

func expectFile(t *testing.T, example string) string {
	t.Helper()
	file := filepath.Join(example, "expect.cue")
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("the golden tree of %s has no expectations: %v", example, err)
	}
	return file
}

func loadGolden(t *testing.T, example string) map[string]any {
	t.Helper()
	objects, err := examples.LoadTree(filepath.Join(goldenDir, example))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func TestGoldenTreesAreAsExpected(t *testing.T) {
	for _, example := range goldenTrees(t) {
		t.Run(example, func(t *testing.T) {
			failures, err := examples.Check(expectFile(t, example), examples.SectionTree, loadGolden(t, example))
			if err != nil {
				t.Error(err)
			}
			for _, failure := range failures {
				t.Error(failure)
			}
		})
	}
}

// Copies of one statement would make a number without meaning.
func TestExpectationsAreManyAndDifferent(t *testing.T) {
	names := goldenTrees(t)
	distinct := map[string]bool{}
	for _, example := range names {
		for _, section := range []string{examples.SectionTree, examples.SectionCharts} {
			ofSection := map[string]string{}
			statements, err := examples.Statements(expectFile(t, example), section)
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range statements {
				if twin, ok := ofSection[content]; ok {
					t.Errorf("%s: %q says the same as %q", example, name, twin)
				}
				ofSection[content] = name
				distinct[content] = true
			}
		}
	}
	if len(names) > 0 && len(distinct) < leastExpectations {
		t.Errorf("%d different expectations in all examples, want %d", len(distinct), leastExpectations)
	}
}

func TestExpectationsNoticeEdits(t *testing.T) {
	for _, example := range goldenTrees(t) {
		if !sample.Some("edits of "+example, 4) {
			continue
		}
		t.Run(example, func(t *testing.T) {
			file, objects := expectFile(t, example), loadGolden(t, example)
			noticed := 0
			// The first edits are of different kinds.
			mutations := examples.Mutate(objects, editSeed, sample.Times(edits, 4))
			for _, mutation := range mutations {
				failures, err := examples.Check(file, examples.SectionTree, mutation.Apply(objects))
				// An expression without a value counts: the test of the tree fails.
				if err != nil || len(failures) > 0 {
					noticed++
				} else {
					t.Logf("not noticed: %s", mutation.Description)
				}
			}
			if want := sample.Times(leastNoticed, 2); noticed < want {
				t.Errorf("expectations noticed %d of %d edits, want %d", noticed, len(mutations), want)
			}
		})
	}
}
