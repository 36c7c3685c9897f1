package check

import (
	"maps"
	"slices"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/syntax"
)

// needs looks at what the user adds to components besides values: a need of
// what is not rendered, needs in a circle, and objects or needs that go nowhere.
func (c *checker) needs() diag.List {
	var findings diag.List
	needs := neededBy(c.root)
	components, _ := c.spec.Data["components"].(map[string]any)
	added := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(components)) {
		component, _ := components[name].(map[string]any)
		list, _ := component["needs"].([]any)
		for _, need := range list {
			if text, ok := need.(string); ok {
				added[name] = append(added[name], text)
			}
		}
	}
	all := maps.Clone(needs)
	for name, list := range added {
		all[name] = append(slices.Clone(all[name]), list...)
	}
	for _, name := range slices.Sorted(maps.Keys(components)) {
		component, _ := components[name].(map[string]any)
		_, rendered := needs[name]
		for _, field := range []string{"objects", "needs", "patches", "argocd"} {
			if component[field] != nil && !rendered && !saidOff(component) {
				findings.Add(c.at(lostAddition, []any{"components", name, field}, "%s is not rendered, so its %s have no effect", name, field))
			}
		}
		if !rendered {
			continue
		}
		for i, need := range added[name] {
			at := []any{"components", name, "needs", i}
			if _, ok := needs[need]; !ok {
				findings.Add(c.at(impossibleNeed, at, "%s needs %s, which is not rendered", name, syntax.Quote(need)))
			} else if reaches(all, need, name, nil) {
				findings.Add(c.at(impossibleNeed, at, "%s needs %s, which needs %s", name, need, name))
			}
		}
	}
	return findings
}

// neededBy says of each rendered component which others it needs.
func neededBy(root cue.Value) map[string][]string {
	out := map[string][]string{}
	it, err := root.LookupPath(cue.ParsePath("components")).Fields()
	if err != nil {
		return out
	}
	for it.Next() {
		var needs []string
		_ = it.Value().LookupPath(cue.ParsePath("needs")).Decode(&needs)
		of, _ := it.Value().LookupPath(cue.ParsePath("of")).String()
		release := it.Selector().Unquoted()
		out[release] = append(out[release], needs...)
		if of != release {
			out[of] = append(out[of], needs...)
		}
	}
	return out
}

func reaches(needs map[string][]string, from, to string, seen []string) bool {
	if from == to {
		return true
	}
	if slices.Contains(seen, from) {
		return false
	}
	return slices.ContainsFunc(needs[from], func(next string) bool {
		return reaches(needs, next, to, append(seen, from))
	})
}

func saidOff(component map[string]any) bool { return component["state"] == "off" }

// at makes a finding about a place in the spec.
func (c *checker) at(kind diag.Kind, path []any, format string, args ...any) diag.Finding {
	return kind.At(c.spec.Locate(path), source.PathString(path), format, args...)
}
