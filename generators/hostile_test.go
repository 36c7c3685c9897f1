package generators_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/diag"
	places "github.com/gpugen/gpugen/schema/source"
)

// mark stands in every hostile text, so that it can be found again in a tree.
const mark = "INJECTED"

// hostile are texts that try to be more than a text where they end up.
var hostile = []string{
	mark + "\x1b]0;x\x07", "a\n" + mark + ": true\n", "a\r\n- " + mark, "../../" + mark, "/" + mark, "\ufeff" + mark, mark + "\u202e", "a\u0085" + mark, "a\u007f" + mark,
	"$(touch " + mark + ")", "`touch " + mark + "`", "';touch " + mark + ";'", "\";touch " + mark + ";\"", "a\\\n" + mark,
	"\"} or vector(1) #" + mark, "{{ " + mark + " }}", "${" + mark + "}", "%{" + mark + "}", "' || true || '" + mark,
	"a|" + mark + "|b", "<b>" + mark + "</b>", "](javascript:" + mark + ")", "```\n" + mark + "\n```", "a\"]; " + mark + "[\"b", "-->" + mark,
	"*" + mark, "&" + mark, "!!binary " + mark, "--- # " + mark, "? " + mark, "-" + mark, "http://" + mark + ".invalid/x", "@" + mark, "#" + mark, "~/" + mark,
	strings.Repeat(mark, 30_000), "", " ", "0", "null", "true",
}

// hostileNumbers are numbers that few programs agree on.
var hostileNumbers = []any{int64(1) << 53, int64(1)<<53 + 1, int64(math.MaxInt64), -1, 0, 1e300, 0.1}

// Whatever stands in a field of a spec is no defect of gpugen, and what vets leads to
// a tree that builds, in which it is data and nothing else: no field of an object, no
// line of a page, no path.
func TestHostileTextsAreDataOrFindings(t *testing.T) {
	seen, tried := map[string]bool{}, 0
	for _, b := range fieldBases(t) {
		eachScalar(b.spec, nil, func(at []any, value any) {
			field := places.PathString(at)
			if seen[field] {
				return
			}
			seen[field] = true
			tries := hostileNumbers
			if _, isText := value.(string); isText {
				tries = nil
				for _, text := range hostile {
					tries = append(tries, text)
				}
			}
			for i, try := range tries {
				if !sample.Draws(fmt.Sprintf("hostile %s %s %d", b.name, field, i), 5000) {
					continue
				}
				tried++
				t.Run(fmt.Sprintf("%s/%s/%d", b.name, field, i), func(t *testing.T) {
					t.Parallel()
					spec := with(b.spec, at, try).(map[string]any)
					asJSON, err := json.Marshal(spec) // YAML has no way to write some of them
					if err != nil {
						t.Fatal(err)
					}
					result, _ := renderText(t, string(asJSON))
					if result == nil {
						return
					}
					if err := holds(spec, result); err != nil {
						t.Fatalf("%v\n%s", err, asJSON)
					}
					for _, fault := range injected(result) {
						t.Error(fault)
					}
				})
			}
		})
	}
	t.Logf("%d fields, %d texts and numbers", len(seen), tried)
}

// eachScalar goes through all scalars of a spec.
func eachScalar(value any, at []any, each func(at []any, value any)) {
	switch v := value.(type) {
	case map[string]any:
		for key, value := range v {
			eachScalar(value, append(slices.Clone(at), key), each)
		}
	case []any:
		for i, value := range v {
			eachScalar(value, append(slices.Clone(at), i), each)
		}
	case bool:
	default:
		each(at, v)
	}
}

// injected lists where the mark stands in a tree as something else than data.
func injected(result *generators.Result) []string {
	var out []string
	for _, f := range result.Tree.Files() {
		if strings.Contains(f.Path, mark) {
			out = append(out, f.Path+" is called after it")
		}
		if !strings.Contains(string(f.Data), mark) {
			continue
		}
		if path.Ext(f.Path) == ".yaml" {
			for _, doc := range strings.Split(string(f.Data), "\n---\n") {
				var object any
				if err := yaml.Unmarshal([]byte(doc), &object); err != nil {
					out = append(out, fmt.Sprintf("%s: %v", f.Path, err))
				}
				out = append(out, marked(f.Path, object)...)
			}
			continue
		}
		for _, line := range strings.Split(string(f.Data), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), mark) || diag.Hidden(line) != "" {
				out = append(out, fmt.Sprintf("%s has a line of it: %.80s", f.Path, line))
			}
		}
	}
	return out
}

// marked finds the mark in names of fields, and in scripts.
func marked(at string, value any) []string {
	var out []string
	switch v := value.(type) {
	case map[string]any:
		for key, value := range v {
			if strings.Contains(key, mark) {
				out = append(out, at+" has a field called after it: "+key)
			}
			if script, ok := value.(string); ok && strings.HasPrefix(script, "#!") && strings.Contains(script, mark) {
				out = append(out, at+"."+key+" is a script with it")
			}
			out = append(out, marked(at+"."+key, value)...)
		}
	case []any:
		for i, value := range v {
			out = append(out, marked(fmt.Sprintf("%s[%d]", at, i), value)...)
		}
	}
	return out
}

func TestWhatIsInjectedIsSeen(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"a.yaml", "a: b\nINJECTED: true\n", "field"}, {"a.yaml", "a: [{bINJECTED: 1}]\n", "field"}, {"a.yaml", "a: |\n  #!/bin/sh\n  INJECTED\n", "script"},
		{"a.yaml", "a: b: INJECTED\n", "yaml"}, {"README.md", "a\n  INJECTED\n", "line"}, {"README.md", "INJECTED\u202e\n", "line"}, {"INJECTED.md", "", "called"},
		{"a.yaml", "a: [INJECTED]\n---\nb: \"INJECTED\"\n", ""}, {"README.md", "a `INJECTED`\n", ""},
	} {
		result := &generators.Result{Tree: &tree.Tree{}}
		result.Tree.Add(c.name, []byte(c.data))
		if found := injected(result); (c.want == "") != (len(found) == 0) || !strings.Contains(strings.Join(found, " "), c.want) {
			t.Errorf("%q: %v", c.data, found)
		}
	}
}
