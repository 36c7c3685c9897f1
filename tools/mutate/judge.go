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

// What takes more seconds of CPU than most in one step of tests, or does not end on an
// idle machine either, is noticed.
const (
	most   = "300"
	atLast = 30 * time.Minute
)

// step is tests of one package.
type step struct {
	pkg, run string
}

// judge runs tests on mutations.
type judge struct {
	root, work string
	// tests are compiled tests by package.
	tests map[string]string
	// names of these tests, by package.
	names map[string][]string
	rules *references
	// whole has all tests try what the near ones do not notice.
	whole bool
	// pass says of steps that failed whether they do without a change too, and so
	// notice nothing.
	pass map[step]bool
}

// inMemory are packages whose tests take another file of the knowledge at run time.
var inMemory = []string{"./schema", "./generators"}

// commandLine is the package whose tests are scripts.
const commandLine = "./cmd/gpugen/internal/cli"

func newJudge(root, work string, whole bool) (*judge, error) {
	j := &judge{root: root, work: work, whole: whole, tests: map[string]string{}, names: map[string][]string{}, pass: map[step]bool{}}
	for _, pkg := range inMemory {
		if err := j.compile(pkg, "", filepath.Join(work, filepath.Base(pkg)+".test")); err != nil {
			return nil, fmt.Errorf("the tests of %s do not compile without a change: %w", pkg, err)
		}
		j.tests[pkg] = filepath.Join(work, filepath.Base(pkg)+".test")
		cmd := exec.Command(j.tests[pkg], "-test.list", "^Test")
		cmd.Dir = filepath.Join(root, pkg)
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("the tests of %s are not known: %w", pkg, err)
		}
		j.names[pkg] = strings.Fields(string(out))
	}
	scripts, err := filepath.Glob(filepath.Join(root, commandLine, "testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		return nil, fmt.Errorf("no scripts of the command line (%v)", err)
	}
	for _, name := range scripts {
		j.names[commandLine] = append(j.names[commandLine], strings.TrimSuffix(filepath.Base(name), ".txtar"))
	}
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
		return j.noticesCompiled(m, file)
	}
	if _, err := parser.ParseFile(m.path, m.mutated()); err != nil {
		return notViable, nil
	}
	if m.area() == "facts" {
		if by, err := j.noticesCompiled(m, file); err != nil || by != "" {
			return by, err
		}
	}
	for _, s := range j.cueSteps(m) {
		failed, err := j.fails(j.tests[s.pkg], s, "GPUGEN_MUTANT="+m.path+"="+file)
		if err != nil {
			return "", err
		}
		if failed {
			if passes, err := j.passes(s, j.tests[s.pkg]); err != nil || passes {
				return s.pkg, err
			}
		}
	}
	return "", nil
}

// passes tells whether tests that failed do pass without a change: otherwise they
// would seem to notice everything, and do not count.
func (j *judge) passes(s step, binary string) (bool, error) {
	passes, known := j.pass[s]
	if known {
		return passes, nil
	}
	failed, err := j.fails(binary, s, "")
	if failed && err == nil {
		fmt.Fprintf(os.Stderr, "the tests %s of %s fail without a change, and do not count\n", s.run, s.pkg)
	}
	j.pass[s] = !failed
	return !failed, err
}

// noticesCompiled compiles the tests of packages with an overlay, and runs them.
func (j *judge) noticesCompiled(m mutation, file string) (string, error) {
	overlay := filepath.Join(j.work, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(j.root, m.path): file}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		return "", err
	}
	binary := filepath.Join(j.work, "mutant.test")
	compiled := ""
	for i, s := range j.overlaySteps(m) {
		if s.pkg != compiled {
			_ = os.Remove(binary)
			if err := j.compile(s.pkg, overlay, binary); err != nil {
				if i == 0 {
					return notViable, nil
				}
				return s.pkg, nil
			}
			compiled = s.pkg
		}
		if _, err := os.Stat(binary); err != nil {
			// No tests.
			continue
		}
		failed, err := j.fails(binary, s, "")
		if err != nil {
			return "", err
		}
		if !failed {
			continue
		}
		unchanged := ""
		if _, known := j.pass[s]; !known {
			unchanged = filepath.Join(j.work, "unchanged.test")
			if err := j.compile(s.pkg, "", unchanged); err != nil {
				return "", err
			}
		}
		if passes, err := j.passes(s, unchanged); err != nil || passes {
			return s.pkg, err
		}
	}
	return "", nil
}

// fails runs compiled tests, and tells whether they failed or did not end.
func (j *judge) fails(binary string, s step, variable string) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), atLast)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", "ulimit -t "+most+`; exec "$@"`, "bash", binary, "-test.failfast", "-test.timeout=0", "-test.run", s.run)
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
