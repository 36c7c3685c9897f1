package schema

import (
	"maps"
	"slices"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
)

// checkNeeds looks at what the user adds to components besides values: a need of
// what is not rendered, needs in a circle, and objects or needs that go nowhere.
func (e *engine) checkNeeds(s *Spec, root cue.Value) diag.List {
	var findings diag.List
	needs := neededBy(root)
	components, _ := s.Data["components"].(map[string]any)
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
				findings.Add(s.finding([]any{"components", name, field}, idNowhere, "%s is not rendered, so its %s have no effect", name, field))
			}
		}
		if !rendered {
			continue
		}
		for i, need := range added[name] {
			at := []any{"components", name, "needs", i}
			if _, ok := needs[need]; !ok {
				findings.Add(s.finding(at, idNeed, "%s needs %s, which is not rendered", name, quote(need)))
			} else if reaches(all, need, name, nil) {
				findings.Add(s.finding(at, idNeed, "%s needs %s, which needs %s", name, need, name))
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

func (s *Spec) finding(at []any, id, format string, args ...any) diag.Finding {
	f := findingf(id, s.Locate(at), format, args...)
	f.Path = PathString(at)
	return f
}
