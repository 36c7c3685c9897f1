package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// effects are tests of what whole specs lead to: examples, and specs that between
// them say something of every field.
var effects = step{"./generators", "^(TestExamplesRenderToTheirGoldenTrees|TestExamplesOfFieldsLeadToWhatIsExpected)$"}

// cueSteps are the tests that know most of a file first. What only tests notice that
// are about something else counts as unnoticed: to run them all would take minutes
// for each survivor.
func (j *judge) cueSteps(m mutation) []step {
	ids := j.rules.of(m.path)
	if len(ids) == 0 {
		return append([]step{j.nearExamples(m.path), effects}, j.named(m.path)...)
	}
	any := "^(" + strings.Join(ids, "|") + ")$"
	out := []step{
		{"./schema", "^TestRules$/" + any + "/^(finds_its_bad|finds_nothing_in_its_good|holds_its_bounds|finds_further_bad_states)$"},
		{"./schema", "^TestCases$/" + any},
	}
	if len(ids) == 1 {
		out = append(out, step{"./schema", "^TestRules$/" + any + "/^(finds_its_bad|finds_variants_of_its_bad|finds_nothing_in_variants_of_its_good)$"})
	}
	return append(append(out, effects), j.named(m.path)...)
}

// readExamples lists the directories of each golden tree.
func readExamples(golden string) (map[string][]string, error) {
	out := map[string][]string{}
	names, err := filepath.Glob(filepath.Join(golden, "*", "*"))
	for _, name := range names {
		example := filepath.Base(filepath.Dir(name))
		out[example] = append(out[example], filepath.Base(name))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there are no golden trees in %s (%v)", golden, err)
	}
	return out, err
}

// nearExamples are the golden trees in which something is named like a file, and others
// if these are few: most changes are noticed there, at a quarter of what all trees cost.
func (j *judge) nearExamples(path string) step {
	const enough = 5
	names := sortedKeys(j.examples)
	near := func(name string) bool {
		return slices.ContainsFunc(j.examples[name], func(dir string) bool { return sharesAWord(path, dir) })
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(map[bool]int{false: 1}[near(a)], map[bool]int{false: 1}[near(b)])
	})
	return step{"./generators", "^TestExamplesRenderToTheirGoldenTrees$/^(" + strings.Join(names[:min(enough, len(names))], "|") + ")$"}
}

// long are tests with steps of their own, or with many cases.
var long = regexp.MustCompile("^Test(Rules|NoFieldIsSilent|ReasonsAre|RulesAreDecided.*)$|" + effects.run)

// named are the tests whose name is near a file's, such as Quota to kueue_quota.cue,
// and the cases of rules.
func (j *judge) named(path string) []step {
	var out []step
	for _, pkg := range inMemory {
		if s, ok := j.namedIn(pkg, path); ok {
			out = append(out, s)
		}
	}
	return out
}

func (j *judge) namedIn(pkg, path string) (step, bool) {
	var names []string
	for _, name := range j.names[pkg] {
		if !long.MatchString(name) && (isNear(path, name) || name == "TestCases") {
			names = append(names, name)
		}
	}
	return step{pkg, "^(" + strings.Join(names, "|") + ")$"}, len(names) > 0
}

// scripts are those of the command line whose name is near a file's.
func (j *judge) scripts(path string) []step {
	var names []string
	for _, name := range j.names[commandLine] {
		if isNear(path, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []step{{commandLine, "^TestScripts$/^(" + strings.Join(names, "|") + ")$"}}
}

// isNear tells whether the name of a test has a word of a file's name or, of Go, of its
// package's; or these a word of a script's, as chartfacts has one of chart_add.
func isNear(path, test string) bool {
	if filepath.Ext(path) != ".go" {
		return sharesAWord(path, test)
	}
	dir := filepath.Dir(path)
	return sharesAWord(path, test) || sharesAWord(dir, test) || strings.Contains(test, "_") && sharesAWord(test, filepath.Base(dir)+" "+filepath.Base(path))
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
// its own package, and what is built on it; first those that know most of it. Packages
// with long tests have only those run that are named like the file, and all of them
// only if whole is set: that takes minutes for each survivor.
func (j *judge) overlaySteps(m mutation) []step {
	own := "./" + filepath.ToSlash(filepath.Dir(m.path))
	if m.area() != "go" {
		// The charts' facts are a folder without Go: the package
		// above tests them. Taken for a package, that folder does not compile, and no
		// change in it would count.
		own = strings.TrimSuffix(own, "/charts")
		out := []step{{own, ""}}
		if strings.HasPrefix(m.path, "schema/spec/") {
			out = append(out, step{"./schema/shape", ""}, step{"./schema/load", ""})
		}
		return out
	}
	var out []step
	switch own {
	case commandLine:
		out = j.scripts(m.path)
	case "./schema", "./generators":
	default:
		out = append(out, step{own, ""})
	}
	for _, pkg := range inMemory {
		if !strings.HasPrefix(own+"/", pkg+"/") {
			continue
		}
		if s, ok := j.namedIn(pkg, m.path); ok {
			out = append(out, s)
		}
	}
	if own != commandLine {
		out = append(out, effects)
		out = append(out, j.scripts(m.path)...)
	}
	if j.whole {
		out = append(out, step{"./schema", "^Test[^R]"}, step{"./generators", "^Test[^N]"}, step{commandLine, ""})
	}
	return out
}
