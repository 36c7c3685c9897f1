package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	// names of these tests, by package.
	names map[string][]string
	rules *references
	// pass are the steps that are known to pass without a change.
	pass map[step]bool
}

// inMemory are packages whose tests take another file of the knowledge at run time.
var inMemory = []string{"./schema", "./generators"}

func newJudge(root, work string) (*judge, error) {
	j := &judge{root: root, work: work, tests: map[string]string{}, names: map[string][]string{}, pass: map[step]bool{}}
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

// effects are tests of what whole specs lead to: examples, and specs that between
// them say something of every field.
var effects = step{"./generators", "^(TestExamplesRenderToTheirGoldenTrees|TestWhatTheSpecsOfFieldsLeadTo)$"}

// cueSteps are the tests that know most of a file first. What only tests notice that
// are about something else counts as unnoticed: to run them all would take minutes
// for each survivor.
func (j *judge) cueSteps(m mutation) []step {
	ids := j.rules.of(m.path)
	if len(ids) == 0 {
		return append([]step{effects}, j.named(m.path)...)
	}
	any := "^(" + strings.Join(ids, "|") + ")$"
	out := []step{
		{"./schema", "^TestRules$/" + any + "/^(finds_its_bad|finds_nothing_in_its_good|holds_its_bounds|finds_further_bad_states)$"},
		{"./schema", "^TestCases$/" + any},
	}
	if len(ids) == 1 {
		out = append(out, step{"./schema", "^TestRules$/" + any + "/^(finds_variants_of_its_bad|finds_nothing_in_variants_of_its_good)$"})
	}
	return append(append(out, effects), j.named(m.path)...)
}

// long are tests with steps of their own, or with many cases.
var long = regexp.MustCompile("^Test(Rules|NoFieldIsSilent|ReasonsAre|RulesAreDecided.*)$|" + effects.run)

// named are the tests whose name has a word of a file's name, such as Quota of
// kueue_quota.cue, and the cases of rules.
func (j *judge) named(path string) []step {
	var out []step
	for _, pkg := range inMemory {
		var names []string
		for _, name := range j.names[pkg] {
			if !long.MatchString(name) && (sharesAWord(path, name) || name == "TestCases") {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			out = append(out, step{pkg, "^(" + strings.Join(names, "|") + ")$"})
		}
	}
	return out
}

// sharesAWord tells whether the name of a test has a word of the name of a file.
func sharesAWord(file, test string) bool {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	return slices.ContainsFunc(strings.FieldsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }), func(word string) bool {
		const tooShort = 2
		return len(word) > tooShort && strings.Contains(strings.ToLower(test), strings.TrimSuffix(word, "s"))
	})
}

// overlaySteps are the tests of packages that are compiled anew with a changed file:
// its own package, and what is built on it.
func overlaySteps(m mutation) []step {
	own := "./" + filepath.ToSlash(filepath.Dir(m.path))
	out := []step{{own, ""}}
	switch {
	case strings.HasPrefix(m.path, "schema/spec/"):
		return append(out, step{"./schema/shape", ""}, step{"./schema/load", ""})
	case m.area() != "go":
		return out
	case strings.HasPrefix(m.path, "schema/"):
		out = append(out, step{"./schema", "^Test[^R]"}, effects)
	case strings.HasPrefix(m.path, "generators/"):
		out = append(out, effects, step{"./generators", "^Test[^N]"})
	}
	if own != "./cmd/gpugen/internal/cli" {
		out = append(out, step{"./cmd/gpugen/internal/cli", ""})
	}
	return slices.Compact(out)
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
	for i, s := range overlaySteps(m) {
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
