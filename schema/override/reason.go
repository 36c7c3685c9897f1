package override

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
)

// fields are those that a reason follows from, for people: paths as in findings.
func fields(reason knowledge.Reason) string {
	paths := make([]string, len(reason.From))
	for i, from := range reason.From {
		labels := splitPath(from)
		for n, label := range labels {
			if label != "*" {
				labels[n] = source.PathString([]any{label})
			}
		}
		paths[i] = strings.Join(labels, ".")
	}
	return strings.Join(paths, " or ")
}

// decides lists the fields of the spec that a reason follows from; where the user
// left one out, the nearest place that they wrote. A * stands for every entry.
func decides(s *source.Spec, reason knowledge.Reason) []diag.Place {
	var out []diag.Place
	for _, from := range reason.From {
		for _, path := range expand(s.Data, splitPath(from), nil) {
			place := diag.Place{Position: s.Locate(path), Path: source.PathString(path)}
			if !s.Wrote(path) {
				place.Note = "(by default)"
			}
			out = append(out, place)
		}
	}
	return out
}

// passedOn is the field of the spec that a template hands on as it is, if a reason
// names just one and what the user wrote would do there as well; else "".
func (r *resolver) passedOn(leaf override, clash, base cue.Value, reason knowledge.Reason) string {
	if len(reason.From) != 1 || leaf.value == nil {
		return ""
	}
	paths := expand(r.spec.Data, splitPath(reason.From[0]), nil)
	for _, path := range paths {
		if !r.schema.Takes(path, leaf.value) {
			return ""
		}
		selectors := []cue.Selector{cue.Str("spec")}
		for _, label := range path {
			selectors = append(selectors, cue.Str(label.(string)))
		}
		// A field without a default is handed on wherever it is written.
		if v := base.LookupPath(cue.MakePath(selectors...)); v.Exists() && !v.Equals(clash) {
			return ""
		}
	}
	if len(paths) == 1 {
		return source.PathString(paths[0])
	}
	return fields(reason)
}

// splitPath takes a path of a reason apart.
func splitPath(path string) []string { return strings.Split(path, ".") }

func expand(v any, pattern []string, at []any) [][]any {
	if len(pattern) == 0 {
		return [][]any{slices.Clone(at)}
	}
	m, _ := v.(map[string]any)
	keys := []string{pattern[0]}
	if pattern[0] == "*" {
		keys = slices.Sorted(maps.Keys(m))
	}
	var out [][]any
	for _, key := range keys {
		out = append(out, expand(m[key], pattern[1:], append(slices.Clone(at), key))...)
	}
	return out
}
