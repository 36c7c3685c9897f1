package load

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

// What reads a text calls itself for each level of it, and a stack that overflows ends
// the process: nothing catches that.
func TestWhatIsNestedWithoutBoundsIsOneFinding(t *testing.T) {
	times := strings.Repeat
	embedding := "@extern(embed)\n" + goodCUE + "components: \"gpu-operator\": values: _ @embed(file="
	for name, files := range map[string]map[string]string{
		"fields of CUE":              {"a.cue": "package cluster\n" + times("a: ", 200_000) + "1\n"},
		"structs of CUE":             {"a.cue": goodCUE + "x: " + times("{a: ", 5000) + "1" + times("}", 5000) + "\n"},
		"a chain of operators":       {"a.cue": goodCUE + "x: 1" + times("+1", 100_000) + "\n"},
		"a chain of selectors":       {"a.cue": goodCUE + "x: y" + times(".y", 100_000) + "\n"},
		"calls of calls":             {"a.cue": goodCUE + "x: len" + times("()", 100_000) + "\n"},
		"clauses of a comprehension": {"a.cue": goodCUE + times("if true ", 50_000) + "{a: 1}\n"},
		"expressions in strings":     {"a.cue": goodCUE + "x: " + times(`"\(`, 3000) + "1" + times(`)"`, 3000) + "\n"},
		"rules of a site":            {"a.cue": goodCUE + "rules: \"SITE-001\": " + times("a: ", 100_000) + "1\n"},
		"an imported package": {
			"a.cue":              "package cluster\nimport \"example.com/m/d\"\n" + strings.TrimPrefix(goodCUE, "package cluster\n") + "x: d.x\n",
			"d/d.cue":            "package d\nx: " + times("a: ", 100_000) + "1\n",
			"cue.mod/module.cue": testModule,
		},
		"the module file":                  {"a.cue": goodCUE, "cue.mod/module.cue": times("a: ", 100_000) + "1\n"},
		"embedded YAML that merges itself": {"a.cue": embedding + "x.yaml)\n", "x.yaml": "a: &a {<<: *a}\n"},
		"embedded text read as YAML":       {"a.cue": embedding + "x.txt,type=yaml)\n", "x.txt": "a: &a {<<: *a}\n"},
		"embedded JSON":                    {"a.cue": embedding + "x.json)\n", "x.json": times(`{"a":`, 5000) + "1" + times("}", 5000)},
		"JSON":                             {"cluster.json": times(`{"a":`, 5000) + "1" + times("}", 5000)},
		"YAML":                             {"cluster.yaml": "a: " + times("[", 5000) + times("]", 5000) + "\n"},
		"YAML that merges itself":          {"cluster.yaml": "a: &a {<<: *a}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			spectest.WriteFiles(t, files)
			_, found := loaderForTest(t).load(source.Input{})
			if len(found) != 1 || found[0].ID != "SPEC-019" {
				t.Errorf("found %v", spectest.Brief(found))
			}
			spectest.CheckFindings(t, found, files)
		})
	}
}

func TestWhatIsLargeButNotDeepIsRead(t *testing.T) {
	times := strings.Repeat
	for name, more := range map[string]string{
		"many fields":            times("_x: \"a\"\n", 20_000),
		"a list":                 "_x: [" + times("1, ", 20_000) + "]\n",
		"fields of fields":       times("_x: a: b: c: 1\n", 5000),
		"structs on one line":    "_x: [" + times("{a: {b: [(1)]}}, ", 2000) + "]\n",
		"strings with brackets":  times("_s: \"((([[[{{{ a: b: c:\"\n", 2000),
		"expressions in strings": "_a: 1\n" + times("_s: \"\\(_a) and \\(\"\\(_a)\") ((\"\n", 2000),
		"comments":               times("// a: (((( \n", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			spectest.WriteFiles(t, map[string]string{"a.cue": goodCUE + more})
			if _, found := loaderForTest(t).load(source.Input{}); slices.ContainsFunc(spectest.Brief(found), func(s string) bool { return strings.Contains(s, "SPEC-019") || strings.Contains(s, "SPEC-003") }) {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// A long line is not copied for each finding that shows it.
func TestManyFaultsOnOneLineCostWhatTheirNumberDoes(t *testing.T) {
	var line strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&line, "x%d: 1, ", i)
	}
	text := "{" + line.String() + "name: a}\n"
	e := loaderForTest(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, found := e.load(source.Input{Path: "-", Stdin: strings.NewReader(text)})
	runtime.ReadMemStats(&after)
	const most = 150 << 20
	if taken := after.TotalAlloc - before.TotalAlloc; len(found) < 5000 || taken > most {
		t.Errorf("%d findings take %d bytes", len(found), taken)
	}
}
