package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/diag"
)

// byPeople are rules whose fix nobody but a person can carry out in some way, and why.
var byPeople = map[string]string{
	"KUEUE-004": "which of a hundred pools are alike is not in the spec",
}

// leadsNowhereElse carries out a rule's fix, in each of its ways, where the rule found
// something: nothing is found any more, neither by the rule nor by another.
func leadsNowhereElse(t *testing.T, r Rule, found diag.List) {
	bad := laidOver(baseSpec(), r.Bad)
	ways := r.Fixed
	if r.Guarded && len(ways) == 0 {
		// To leave a value to gpugen is to write none.
		for _, f := range found {
			ways = append(ways, absent(cuePathElements(f.Path)))
		}
	}
	for i, way := range ways {
		if !sample.Draws(fmt.Sprintf("fix %s %d", r.ID, i), 6) {
			continue
		}
		d := single("yaml", fixing(bad, way))
		if _, found := d.judge(t); len(found) > 0 {
			t.Errorf("way %d of %q: %v\n%v", i+1, r.Fix, described(found), d)
		}
	}
	if byPeople[r.ID] == "" {
		checkWays(t, r, append(slices.Clone(ways), r.Good), found)
	}
}

// absent takes the field at a path away. Of a list all of it goes.
func absent(path []any) map[string]any {
	for len(path) > 0 {
		if _, ok := path[len(path)-1].(string); ok {
			break
		}
		path = path[:len(path)-1]
	}
	out := map[string]any{}
	at := out
	for i, label := range path {
		name, ok := label.(string)
		if !ok || i == len(path)-1 {
			at[name] = nil
			return out
		}
		below := map[string]any{}
		at[name] = below
		at = below
	}
	return out
}

// assigned are values that a fix names: set a.b to "x", or c to true.
var assigned = regexp.MustCompile(` to ("[^"]*"|true|false)`)

// explained is what follows a fix as its reason.
var explained = regexp.MustCompile(`: gpugen .*`)

// noWays are ors that name no other way.
var noWays = regexp.MustCompile(` or (later|more|digit)`)

// checkWays checks that what the fixes of findings say is what is tried: each value that
// they name, and more than one way if there is an or.
func checkWays(t *testing.T, r Rule, ways []map[string]any, found diag.List) {
	for _, f := range found {
		if strings.Contains(noWays.ReplaceAllString(f.Fix, ""), " or ") && len(r.Fixed) < 2 {
			t.Errorf("%q has more than one way: add them to fixed", f.Fix)
		}
		for _, m := range assigned.FindAllStringSubmatch(explained.ReplaceAllString(f.Fix, ""), -1) {
			value := strings.Trim(m[1], `"`)
			if !slices.ContainsFunc(ways, func(way map[string]any) bool { return sets(way, value) }) {
				t.Errorf("no way of %q sets anything to %s: add it to fixed", f.Fix, value)
			}
		}
	}
}

// sets tells whether a field, anywhere in a value, has a value.
func sets(v any, value string) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, below := range v {
			if sets(below, value) {
				return true
			}
		}
		return false
	case []any:
		return slices.ContainsFunc(v, func(below any) bool { return sets(below, value) })
	}
	return fmt.Sprint(v) == value
}
