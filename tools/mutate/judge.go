package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"cuelang.org/go/cue/parser"
)

// notViable is what a mutation is that does not compile: no test is needed for it.
const notViable = "not viable"

// What takes more seconds of CPU than most in one step of tests, or does not end on an
// idle machine either, is noticed.
const (
	most   = "90"
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
	// pass says of tests that failed whether they pass without a change: those that do
	// not notice nothing.
	pass map[step]bool
	// examples are those with a golden tree, and what has a directory there.
	examples map[string][]string
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
	if j.examples, err = readExamples(filepath.Join(root, "golden")); err != nil {
		return nil, err
	}
	j.rules, err = readReferences(filepath.Join(root, "schema", "rules"))
	return j, err
}

func (j *judge) compile(pkg, overlay, into string) error {
	// What a debugger needs is a third of the time that a link takes.
	args := []string{"test", "-c", "-ldflags=-s -w", "-o", into}
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
		if counts, err := j.counts(s.pkg, failed); err != nil || counts {
			return s.pkg, err
		}
	}
	return "", nil
}

// counts tells whether a test that failed passes without a change: otherwise it would
// seem to notice everything.
func (j *judge) counts(pkg, failed string) (bool, error) {
	if failed == "" {
		return false, nil
	}
	s := step{pkg, failed}
	if passes, known := j.pass[s]; known {
		return passes, nil
	}
	if j.tests[pkg] == "" {
		j.tests[pkg] = filepath.Join(j.work, strings.NewReplacer("/", "_", ".", "").Replace(pkg)+".test")
		if err := j.compile(pkg, "", j.tests[pkg]); err != nil {
			return false, err
		}
	}
	again, err := j.fails(j.tests[pkg], s, "")
	if again != "" {
		fmt.Fprintf(os.Stderr, "%s of %s fails without a change, and does not count\n", failed, pkg)
	}
	j.pass[s] = again == ""
	return again == "", err
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
		if counts, err := j.counts(s.pkg, failed); err != nil || counts {
			return s.pkg, err
		}
	}
	return "", nil
}

// fails runs compiled tests, and returns which of them failed first, as -test.run
// names it; all of them, if they end without a word or not at all. It waits for no
// other: tests that run beside each other do not end at the first that fails.
func (j *judge) fails(binary string, s step, variable string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), atLast)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", "ulimit -t "+most+`; exec "$@"`, "bash", binary, "-test.failfast", "-test.v", "-test.timeout=0", "-test.run", s.run)
	cmd.Dir = filepath.Join(j.root, s.pkg)
	// Tests that are ended leave files behind.
	temporary := filepath.Join(j.work, "tmp")
	if err := os.MkdirAll(temporary, 0o700); err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	cmd.Env = append(os.Environ(), variable, "TMPDIR="+temporary)
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	failed := ""
	for lines := bufio.NewReader(out); failed == ""; {
		line, err := lines.ReadString('\n')
		failed = failure(line)
		if err != nil {
			break
		}
	}
	if failed != "" {
		cancel()
		_ = cmd.Wait()
		return failed, nil
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) || ctx.Err() != nil {
		return s.run, nil
	}
	return "", err
}

var failing = regexp.MustCompile(`^\s*--- FAIL: (\S+) \(`)

// failure is the test that a line of output says failed, as -test.run names it.
func failure(line string) string {
	m := failing.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	var parts []string
	for part := range strings.SplitSeq(m[1], "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.Join(parts, "/")
}
