package check

import (
	"fmt"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
)

// waive drops warnings that the spec accepts with a reason. A waiver for an
// error, or one that nothing needs, is a finding itself.
func waive(s *source.Spec, findings diag.List) diag.List {
	waivers, _ := s.Data["waivers"].([]any)
	if len(waivers) == 0 {
		return findings
	}
	used := make([]bool, len(waivers))
	refused := make([]bool, len(waivers))
	var out diag.List
	for _, f := range findings {
		waived := false
		for i, entry := range waivers {
			w, _ := entry.(map[string]any)
			if w["rule"] != f.ID || !source.Below(fmt.Sprint(w["at"]), f.Path) {
				continue
			}
			if f.Severity == diag.Error {
				refused[i] = true
				continue
			}
			used[i], waived = true, true
		}
		if !waived {
			out.Add(f)
		}
	}
	for i, entry := range waivers {
		at := []any{"waivers", i}
		if used[i] || s.Tainted(at) {
			continue
		}
		w, _ := entry.(map[string]any)
		place, path := s.Locate(at), source.PathString(at)
		if refused[i] {
			out.Add(waivedError.At(place, path, "%v at %v is an error, which cannot be waived", w["rule"], w["at"]))
			continue
		}
		out.Add(unneededWaiver.At(place, path, "nothing needs the waiver of %v at %v", w["rule"], w["at"]))
	}
	return out
}
