package main

import (
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
		return append([]step{effects}, j.named(m.path)...)
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
