//go:build linux

package harness_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/gpugen/gpugen/e2e/argocd/harness"
	"github.com/gpugen/gpugen/e2e/argocd/played"
	"github.com/gpugen/gpugen/e2e/argocd/sandbox"
)

const (
	root = "../../.."
	// build is where programs, logs and the table are.
	build = root + "/build/argocd"
	// table gets a line for each tree, for people to read.
	table = root + "/build/argocd.txt"

	// chartsVariable names the folder with real charts, if they are to take the place
	// of those that are made.
	chartsVariable = "GPUGEN_CHARTS"

	// sourceVariable and skipVariable tell the tests in the sandbox what was found
	// outside.
	sourceVariable = "GPUGEN_ARGOCD_SOURCE"
	skipVariable   = "GPUGEN_ARGOCD_SKIP"
)

func TestMain(m *testing.M) {
	if err := sandbox.ExecConfined(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run has the tests run in a sandbox, since Argo CD must find hosts under their
// own names; where there can be none, they skip themselves.
func run(m *testing.M) (int, error) {
	if sandbox.Inside() {
		names, err := hostsOfTrees()
		if err != nil {
			return 0, err
		}
		// The names by which parts of Argo CD call each other.
		names = append(names, "argocd-redis", "argocd-repo-server")
		if err := sandbox.Prepare(played.Address, names, nil); err != nil {
			return 0, err
		}
		return m.Run(), nil
	}
	if err := missing(); err != nil {
		if err := os.Setenv(skipVariable, err.Error()); err != nil {
			return 0, err
		}
		return m.Run(), nil
	}
	programs, err := filepath.Abs(filepath.Join(build, "bin"))
	if err != nil {
		return 0, err
	}
	if err := errors.Join(os.MkdirAll(programs, 0o755), os.WriteFile(table, nil, 0o644)); err != nil {
		return 0, err
	}
	built, err := harness.Build("..", programs)
	if err != nil {
		return 0, fmt.Errorf("the harness does not build: %w", err)
	}
	return sandbox.Rerun(sourceVariable + "=" + built.ArgoCD)
}

// missing says what the machine lacks.
func missing() error {
	if _, err := exec.LookPath("git"); err != nil {
		return err
	}
	return sandbox.Possible()
}

var repository = regexp.MustCompile(`(?m)^ *(?:- )?repoURL: (?:https://|oci://)?([^/\s]+)`)

// hostsOfTrees are those that golden trees name.
func hostsOfTrees() ([]string, error) {
	var out []string
	for _, pattern := range []string{"root.yaml", "argocd/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(root, "golden", "*", pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for _, found := range repository.FindAllSubmatch(text, -1) {
				out = append(out, string(found[1]))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
