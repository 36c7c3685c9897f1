package check

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
)

// ofTree tells whether an ID is about a tree, which is not there yet when its spec is
// judged: who finds such asks Waive, and here no waiver of one is called unneeded.
func ofTree(id string) bool { return strings.HasPrefix(id, "TREE-") }

// waive drops warnings that the spec accepts with a reason. A waiver for an
// error, or one that nothing needs, is a finding itself.
func (c *checker) waive(findings diag.List) diag.List {
	return c.waiveOf(findings, func(id string) bool { return !ofTree(id) })
}

// Waive drops warnings about a tree that its spec accepts with a reason. A waiver of one
// of the IDs looked for that nothing needs is a finding itself.
func Waive(s *source.Spec, root cue.Value, findings diag.List, lookedFor ...string) diag.List {
	c := &checker{spec: s, root: root}
	return c.waiveOf(findings, func(id string) bool { return slices.Contains(lookedFor, id) })
}

// waiveOf drops warnings that are waived. Only waivers of IDs that were looked for can be unneeded.
func (c *checker) waiveOf(findings diag.List, lookedFor func(id string) bool) diag.List {
	waivers, _ := c.spec.Data["waivers"].([]any)
	if len(waivers) == 0 {
		return findings
	}
	current := c.currentIDs()
	used := make([]bool, len(waivers))
	refused := make([]bool, len(waivers))
	var out diag.List
	for _, f := range findings {
		waived := false
		for i, entry := range waivers {
			w, _ := entry.(map[string]any)
			if current(w["rule"]) != f.ID || !source.Below(fmt.Sprint(w["at"]), f.Path) {
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
		w, _ := entry.(map[string]any)
		if used[i] || c.spec.Tainted(at) || !lookedFor(current(w["rule"])) {
			continue
		}
		if refused[i] {
			out.Add(c.at(waivedError, at, "%v at %v is an error, which cannot be waived", w["rule"], w["at"]))
			continue
		}
		out.Add(c.at(unneededWaiver, at, "nothing needs the waiver of %v at %v", w["rule"], w["at"]))
	}
	return out
}

// currentIDs says of the ID in a waiver which one says the same today.
func (c *checker) currentIDs() func(id any) string {
	retired, err := knowledge.RetiredIn(c.root)
	return func(id any) string {
		old := fmt.Sprint(id)
		if now, ok := retired[old]; ok && err == nil {
			return now
		}
		return old
	}
}
