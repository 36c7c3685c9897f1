package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"cuelang.org/go/cue/parser"
)

// notViable is what a mutation is that does not compile: no test is needed for it.
const notViable = "not viable"

// most is how long one step of tests may take; what takes longer is noticed.
const most = 5 * time.Minute

// step is tests of one package.
type step struct {
	pkg, run string
}

// judge runs tests on mutations.
type judge struct {
	root, work string
	// tests are compiled tests by package.
	tests map[string]string
	rules *references
	// pass are the steps that are known to pass without a change.
	pass map[step]bool
}

// inMemory are packages whose tests take another file of the knowledge at run time.
var inMemory = []string{"./schema", "./generators"}

func newJudge(root, work string) (*judge, error) {
	j := &judge{root: root, work: work, tests: map[string]string{}, pass: map[step]bool{}}
	for _, pkg := range inMemory {
		if err := j.compile(pkg, "", filepath.Join(work, filepath.Base(pkg)+".test")); err != nil {
			return nil, fmt.Errorf("the tests of %s do not compile without a change: %w", pkg, err)
		}
		j.tests[pkg] = filepath.Join(work, filepath.Base(pkg)+".test")
	}
	var err error
	j.rules, err = readReferences(filepath.Join(root, "schema", "rules"))
	return j, err
}

func (j *judge) compile(pkg, overlay, into string) error {
	args := []string{"test", "-c", "-o", into}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir = j.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// notices says what noticed a mutation: the package of a test, or "" for nothing.
// An error says that the tests could not be run.
func (j *judge) notices(m mutation) (string, error) {
	file := filepath.Join(j.work, "mutant"+filepath.Ext(m.path))
	if err := os.WriteFile(file, m.mutated(), 0o600); err != nil {
		return "", err
	}
	if m.area() == "go" {
		return j.noticesGo(m, file)
	}
	if _, err := parser.ParseFile(m.path, m.mutated()); err != nil {
		return notViable, nil
	}
	for _, s := range j.cueSteps(m) {
		failed, err := j.fails(j.tests[s.pkg], s, "GPUGEN_MUTANT="+m.path+"="+file)
		if err != nil {
			return "", err
		}
		if failed {
			return s.pkg, j.passes(s, j.tests[s.pkg])
		}
	}
	return "", nil
}

// passes checks that tests which failed do pass without a change: otherwise they
// would seem to notice everything.
func (j *judge) passes(s step, binary string) error {
	if j.pass[s] {
		return nil
	}
	failed, err := j.fails(binary, s, "")
	if err == nil && failed {
		err = fmt.Errorf("the tests %s of %s fail without a change", s.run, s.pkg)
	}
	j.pass[s] = err == nil
	return err
}

// cueSteps are the tests that know most of a file first.
func (j *judge) cueSteps(m mutation) []step {
	golden := step{"./generators", "^TestExamplesRenderToTheirGoldenTrees$"}
	var out []step
	if ids := j.rules.of(m.path); len(ids) > 0 {
		any := strings.Join(ids, "|")
		out = append(out,
			step{"./schema", "^TestRules$/^(" + any + ")$/^(finds_its_bad|finds_nothing_in_its_good|holds_its_bounds|finds_further_bad_states)$"},
			step{"./schema", "^TestCases$"},
			step{"./schema", "^TestRules$/^(" + any + ")$/^(finds_variants_of_its_bad|finds_nothing_in_variants_of_its_good)$"},
		)
	} else {
		out = append(out, golden, step{"./schema", "^(TestCases|TestWhat.*|TestA.*)$"})
	}
	return append(out, step{"./generators", ""}, step{"./schema", ""})
}

// noticesGo compiles the tests of the package with an overlay, then those of what
// is built on it.
func (j *judge) noticesGo(m mutation, file string) (string, error) {
	overlay := filepath.Join(j.work, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(j.root, m.path): file}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		return "", err
	}
	own := "./" + filepath.ToSlash(filepath.Dir(m.path))
	steps := []step{{own, ""}}
	for _, pkg := range []string{"./generators", "./schema", "./cmd/gpugen/internal/cli"} {
		if pkg != own {
			steps = append(steps, step{pkg, ""})
		}
	}
	for i, s := range steps {
		if s.pkg == "./schema" && !strings.HasPrefix(m.path, "schema/") {
			continue
		}
		binary := filepath.Join(j.work, "mutant.test")
		_ = os.Remove(binary)
		if err := j.compile(s.pkg, overlay, binary); err != nil {
			if i == 0 {
				return notViable, nil
			}
			return s.pkg, nil
		}
		if _, err := os.Stat(binary); err != nil {
			// No tests.
			continue
		}
		failed, err := j.fails(binary, s, "")
		if err != nil {
			return "", err
		}
		if failed && !j.pass[s] {
			if err := j.compile(s.pkg, "", binary); err != nil {
				return "", err
			}
			return s.pkg, j.passes(s, binary)
		}
		if failed {
			return s.pkg, nil
		}
	}
	return "", nil
}

// fails runs compiled tests, and tells whether they failed or did not end.
func (j *judge) fails(binary string, s step, variable string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.failfast", "-test.run", s.run)
	cmd.Dir = filepath.Join(j.root, s.pkg)
	cmd.Env = append(os.Environ(), variable)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) || ctx.Err() != nil {
		return err != nil, nil
	}
	return false, err
}
