package schema

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// waive drops warnings that the spec accepts with a reason. A waiver for an
// error, or one that nothing needs, is a finding itself.
func waive(s *Spec, findings diag.List) diag.List {
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
			if w["rule"] != f.ID || !below(fmt.Sprint(w["at"]), f.Path) {
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
		f := diag.Finding{
			ID: "WAIVER-001", Severity: diag.Warning, Position: s.Locate(at), Path: PathString(at),
			Message: fmt.Sprintf("nothing needs the waiver of %v at %v", w["rule"], w["at"]),
			Why:     "A waiver that outlives its cause hides the next one.",
			Fix:     "remove the waiver",
		}
		if refused[i] {
			f.ID, f.Severity = "WAIVER-002", diag.Error
			f.Message = fmt.Sprintf("%v at %v is an error, which cannot be waived", w["rule"], w["at"])
			f.Why = "An error is a state that breaks the cluster."
			f.Fix = "mend what the rule names, and remove the waiver"
		}
		out.Add(f)
	}
	return out
}

// below tells whether path is at, or something in it.
func below(at, path string) bool {
	rest, ok := strings.CutPrefix(path, at)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
