package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// results are a text with each of some edits made.
func results(text string, edits []edit) []string {
	var out []string
	for _, e := range edits {
		out = append(out, text[:e.start]+e.text+text[e.end:])
	}
	return out
}

func TestEditsOfGo(t *testing.T) {
	const text = "package p\n\nimport \"os\"\n\nfunc f(a int) (bool, error) {\n\tif a < 3 {\n\t\tos.Exit(1)\n\t}\n\terr := g(\"key\", \"for people\")\n\treturn true, err\n}\n"
	edits, err := goEdits("p.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := results(text, edits)
	for _, want := range []struct{ old, new string }{
		{"a < 3", "a <= 3"}, {"a < 3", "!(a < 3)"}, {"a < 3", "a < 4"}, {"os.Exit(1)", ""}, {"os.Exit(1)", "os.Exit(2)"},
		{`"key"`, `"keyx"`}, {"return true", "return false"}, {"true, err", "true, nil"},
	} {
		if !slices.Contains(got, strings.Replace(text, want.old, want.new, 1)) {
			t.Errorf("%s never becomes %s", want.old, want.new)
		}
	}
	if len(got) != 8 {
		t.Errorf("%d edits:\n%s", len(got), strings.Join(got, "\n"))
	}
}

func TestEditsOfCUE(t *testing.T) {
	const text = "package p\n\nimport \"list\"\n\nx: {\n\twhy: \"for people\"\n\ta: \"key\"\n\tif n > 3 {b: true}\n\tif y != _|_ {_c: 8 @spec(a)}\n}\n"
	edits, err := cueEdits("p.cue", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := results(text, edits)
	for _, want := range []struct{ old, new string }{
		{`"key"`, `"keyx"`}, {"\ta: \"key\"", "\t"}, {"n > 3", "n >= 3"}, {"n > 3", "n > 4"}, {"b: true", "b: false"}, {"{b: true}", "{}"},
		{"8 @spec", "9 @spec"},
	} {
		if !slices.Contains(got, strings.Replace(text, want.old, want.new, 1)) {
			t.Errorf("%s never becomes %s", want.old, want.new)
		}
	}
	if len(got) != 7 {
		t.Errorf("%d edits:\n%s", len(got), strings.Join(got, "\n"))
	}
}

func TestTheSameSeedDrawsTheSame(t *testing.T) {
	files := []*source{
		{path: "a.go", data: []byte("abc"), edits: []edit{{0, 1, "x", "one"}, {1, 2, "x", "two"}}},
		{path: "schema/rules/b.cue", data: []byte("abc"), edits: []edit{{0, 1, "x", "three"}, {1, 2, "x", "four"}}},
	}
	drawn := func(seed int64) string {
		var out []string
		for m := range draw(files, seed) {
			out = append(out, m.kind)
		}
		return strings.Join(out, " ")
	}
	if drawn(3) != drawn(3) {
		t.Error("a seed draws in two orders")
	}
	if len(strings.Fields(drawn(1))) != 4 {
		t.Errorf("drawn are %s", drawn(1))
	}
	if first := (mutation{files[0], files[0].edits[1]}); string(first.mutated()) != "axc" || first.diff() != "-abc\n+axc\n" {
		t.Errorf("%q, %q", first.mutated(), first.diff())
	}
}

func TestWhatIsNearAFileIsTriedFirst(t *testing.T) {
	j := &judge{names: map[string][]string{
		"./schema":     {"TestRules", "TestCases", "TestOverridesAreJudged"},
		"./generators": {"TestTreesAreWhole", "TestQuotas", "TestEffectsOfChartfacts"},
		commandLine:    {"vet_override", "verify_tree", "render_check", "chart_add"},
	}}
	changed := func(path string) mutation { return mutation{source: &source{path: path}} }
	for _, c := range []struct {
		path, want string
	}{
		{"generators/tree/write.go", "./generators/tree  ./generators ^(TestTreesAreWhole)$ EFFECTS ./cmd/gpugen/internal/cli ^TestScripts$/^(verify_tree)$"},
		{"schema/override/conflict.go", "./schema/override  ./schema ^(TestCases|TestOverridesAreJudged)$ EFFECTS ./cmd/gpugen/internal/cli ^TestScripts$/^(vet_override)$"},
		{"cmd/gpugen/internal/cli/check.go", "./cmd/gpugen/internal/cli ^TestScripts$/^(render_check)$"},
		{"generators/chartfacts/set.go", "./generators/chartfacts  ./generators ^(TestEffectsOfChartfacts)$ EFFECTS ./cmd/gpugen/internal/cli ^TestScripts$/^(chart_add)$"},
		{"schema/facts/charts/pairs.cue", "./schema/facts "},
		{"schema/spec/pools.cue", "./schema/spec  ./schema/shape  ./schema/load "},
	} {
		var got []string
		for _, s := range j.overlaySteps(changed(c.path)) {
			if s == effects {
				got = append(got, "EFFECTS")
			} else {
				got = append(got, s.pkg+" "+s.run)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s", c.path, strings.Join(got, " "))
		}
	}
	j.whole = true
	if steps := j.overlaySteps(changed("generators/tree/write.go")); steps[len(steps)-1] != (step{commandLine, ""}) {
		t.Errorf("not all tests: %v", steps)
	}
}

func TestTheFirstFailingTestIsNamed(t *testing.T) {
	for line, want := range map[string]string{
		"    --- FAIL: TestRules/PIN-008/holds_its_bounds (0.10s)\n": "^TestRules$/^PIN-008$/^holds_its_bounds$",
		"--- FAIL: TestA (0.00s)\n":                                  "^TestA$",
		"    --- PASS: TestA/b (0.00s)\n":                            "",
		"said --- FAIL: TestA\n":                                     "",
	} {
		if got := failure(line); got != want {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}

func TestTreesNearAFileAreTriedFirst(t *testing.T) {
	j := &judge{examples: map[string][]string{"a": {"x"}, "b": {"x"}, "c": {"x"}, "d": {"x"}, "e": {"x"}, "z": {"kueue"}}}
	if got := j.nearExamples("templates/kueue_quota.cue").run; !strings.HasSuffix(got, "/^(z|a|b|c|d)$") {
		t.Error(got)
	}
}

func TestARunGoesOnWhereItWasEnded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	m := mutation{&source{path: "a.go", data: []byte("abc")}, edit{0, 1, "x", "one"}}
	s, err := readState(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.add(verdict{3, m.String(), "./schema", 1.5}); err != nil {
		t.Fatal(err)
	}
	if s, err = readState(file); err != nil {
		t.Fatal(err)
	}
	if v, known, err := s.verdict(3, m); err != nil || !known || v.By != "./schema" || v.Seconds != 1.5 {
		t.Errorf("%v %v %v", v, known, err)
	}
	if _, known, err := s.verdict(4, m); err != nil || known {
		t.Errorf("a change that was not tried: %v %v", known, err)
	}
	m.kind = "another"
	if _, _, err := s.verdict(3, m); err == nil {
		t.Error("what is known of other code is taken")
	}
}
