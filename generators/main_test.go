package generators_test

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/internal/mutant"
	"github.com/gpugen/gpugen/schema"
)

// In a process of its own, the test binary renders a spec into a directory, so
// that tests can vary what a process inherits.
const (
	childSpec   = "GPUGEN_TEST_SPEC"
	childOutput = "GPUGEN_TEST_OUTPUT"
)

func TestMain(m *testing.M) {
	mutant.Apply()
	// Each render has an engine of its own and leaves it: more garbage, less time.
	debug.SetGCPercent(400)
	spec := os.Getenv(childSpec)
	if spec == "" {
		os.Exit(m.Run())
	}
	if err := renderInto(os.Getenv(childOutput), spec); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// renderInto does what `gpugen render SPEC -o DIR` does.
func renderInto(dir, spec string) error {
	result, findings := generators.Render(schema.Input{Path: spec})
	if len(findings) > 0 {
		return fmt.Errorf("%s: findings: %+v", spec, findings)
	}
	if _, refused := tree.Write(context.Background(), dir, result.Tree, result.Meta, tree.Options{}); len(refused) > 0 {
		return fmt.Errorf("%s: %+v", dir, refused)
	}
	return nil
}
