package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

// ofEachType are values of each type that Helm values have.
var ofEachType = []any{nil, true, false, 7, -1, 1.5, "x y", "", []any{}, []any{"x"}, []any{map[string]any{"a": 1}}, map[string]any{}, map[string]any{"a": 1}}

// checkNoDefect wants rules decided whatever a spec says, and names those that are not.
func checkNoDefect(t *testing.T, spec map[string]any) diag.List {
	t.Helper()
	d := single("yaml", spec)
	_, found := d.judge(t)
	for _, f := range found {
		if f.ID == "RULE-001" || f.ID == "RULE-002" || f.Fatal {
			t.Errorf("%s: %s\n%v", f.ID, f.Message, d)
		}
	}
	return found
}

// Charts do not say the type of each value. Where they do not, a rule that reads one
// is decided whatever it is: here for each value that the bad or the good of a rule has.
func TestRulesAreDecidedWhateverTypeValuesHave(t *testing.T) {
	for _, r := range catalogueRules() {
		for what, overlay := range map[string]map[string]any{"bad": r.Bad, "good": r.Good} {
			leaves := valueLeaves(overlay)
			if len(leaves) == 0 {
				continue
			}
			t.Run(r.ID+"/"+what, func(t *testing.T) {
				t.Parallel()
				for _, path := range leaves {
					for i, value := range ofEachType {
						if !sample.Draws(fmt.Sprintf("%s %s %v %d", r.ID, what, path, i), 800) {
							continue
						}
						checkNoDefect(t, laidOver(baseSpec(), replaced(overlay, path, value)))
					}
				}
			})
		}
	}
}

// replaced is a copy of data with another value at a path.
func replaced(at map[string]any, path []string, value any) map[string]any {
	out := maps.Clone(at)
	if out == nil {
		out = map[string]any{}
	}
	if len(path) == 1 {
		out[path[0]] = value
		return out
	}
	inner, _ := out[path[0]].(map[string]any)
	out[path[0]] = replaced(inner, path[1:], value)
	return out
}

// valueLeaves are the paths of what an overlay says in Helm values, down to what is no map.
func valueLeaves(overlay map[string]any) [][]string {
	var out [][]string
	var walk func(at any, path []string)
	walk = func(at any, path []string) {
		inner, ok := at.(map[string]any)
		if !ok || len(inner) == 0 {
			out = append(out, path)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(inner)) {
			walk(inner[name], append(slices.Clone(path), name))
		}
	}
	components, _ := overlay["components"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(components)) {
		component, _ := components[name].(map[string]any)
		if values, ok := component["values"].(map[string]any); ok && len(values) > 0 {
			walk(values, []string{"components", name, "values"})
		}
	}
	return out
}

// The same for each value of each chart whose type nobody knows: many at once, and by
// halves where something is found, since errors hide what rules could not decide.
func TestRulesAreDecidedWhateverValuesOfUnknownTypeAre(t *testing.T) {
	e := privateEngine(t, nil)
	for _, name := range slices.Sorted(maps.Keys(withChart)) {
		version, err := e.engine.PreferredVersion(name)
		if err != nil {
			t.Fatal(err)
		}
		var unknown [][]string
		for path, v := range e.engine.IndexOf(name, version).Leaves() {
			if v.Type == chartindex.TypeUnknown || slices.Contains(v.Accepts, chartindex.TypeUnknown) || v.Open {
				unknown = append(unknown, path)
			}
		}
		for i, value := range ofEachType {
			if !sample.Draws(fmt.Sprintf("unknown types %s %d", name, i), 480) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", name, value), func(t *testing.T) {
				t.Parallel()
				var plain map[string]any
				if err := yaml.Unmarshal([]byte(withChart[name]), &plain); err != nil {
					t.Fatal(err)
				}
				tried := 0
				var try func(paths [][]string)
				try = func(paths [][]string) {
					if len(paths) == 0 || t.Failed() {
						return
					}
					var values map[string]any
					for _, path := range paths {
						values = replaced(values, path, value)
					}
					tried++
					spec := laidOver(laidOver(baseSpec(), plain), map[string]any{"components": map[string]any{name: map[string]any{"values": values}}})
					found := checkNoDefect(t, spec)
					if n := len(paths) / 2; found.HasErrors() && n > 0 {
						try(paths[:n])
						try(paths[n:])
					}
				}
				try(unknown)
				if t.Failed() {
					t.Logf("one of %d values, the first of which is %s", len(unknown), strings.Join(unknown[0], "."))
				}
			})
		}
	}
}
