package schema

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

// checkPaths compares the user's Helm values with the index of the chart that
// takes them: Helm itself accepts any key in silence. Values about which
// already says something are left alone.
func (e *engine) checkPaths(s *Spec, o *overrides, root cue.Value, already diag.List) diag.List {
	var findings diag.List
	indexes := map[string]*chartindex.Index{}
	for _, leaf := range o.leaves {
		at := leaf.at()
		if slices.ContainsFunc(already, func(f diag.Finding) bool { return below(PathString(at), f.Path) }) {
			continue
		}
		if bringsChart(s, leaf.component) {
			// Nobody knows what it reads.
			continue
		}
		index, ok := indexes[leaf.component]
		if !ok {
			index = e.indexOf(s, root, leaf.component)
			indexes[leaf.component] = index
			if index == nil {
				findings.Add(e.unused(s, leaf))
			}
		}
		if index == nil {
			continue
		}
		if f, bad := misplaced(s, index, leaf); bad {
			findings.Add(f)
		}
	}
	return findings
}

// indexOf is the index of the chart version that a component uses, or nil for
// one that is not rendered.
func (e *engine) indexOf(s *Spec, root cue.Value, component string) *chartindex.Index {
	state, _ := root.LookupPath(cue.MakePath(cue.Str("spec"), cue.Str("components"), cue.Str(component), cue.Str("state"))).String()
	if state == "external" || state == "off" {
		return nil
	}
	return e.indexFor(s.Data, component)
}

// indexFor is the index of the chart version that a spec names for a component,
// else of the preferred one, or nil.
func (e *engine) indexFor(data map[string]any, component string) *chartindex.Index {
	components, _ := data["components"].(map[string]any)
	override, _ := components[component].(map[string]any)
	version, _ := override["version"].(string)
	if index := e.carried(component, version); index != nil {
		return index
	}
	preferred, err := e.preferred(component)
	if err != nil {
		return nil
	}
	return e.carried(component, preferred)
}

// hasNoDefault tells whether a chart has no default at a path that it knows. To
// Helm null removes the chart's default, so that there it says nothing at all.
func (e *engine) hasNoDefault(data map[string]any, leaf override) bool {
	index := e.indexFor(data, leaf.component)
	if index == nil {
		return false
	}
	match := index.Lookup(leaf.path)
	return match.Kind == chartindex.Known && (match.Value.Type == chartindex.TypeUnknown || match.Value.Origin == chartindex.OriginTemplate)
}

// carried is the index of a component's chart version, or nil. The chart may
// have another name than the component, and another one in each version.
func (e *engine) carried(component, version string) *chartindex.Index {
	name, err := e.charts.LookupPath(cue.MakePath(cue.Str("charts"), cue.Str(component), cue.Str(version), cue.Str("name"))).String()
	if err != nil {
		return nil
	}
	index, err := ChartIndex(name, version)
	if err != nil {
		return nil
	}
	return index
}

// preferred is the chart version that a component has by default.
func (e *engine) preferred(component string) (string, error) {
	return e.charts.LookupPath(cue.MakePath(cue.Str("preferred"), cue.Str(component))).String()
}

// unused is the finding about values that no chart will ever see.
func (e *engine) unused(s *Spec, leaf override) diag.Finding {
	at := []any{"components", leaf.component, "values"}
	if leaf.pool != "" {
		at = []any{"components", leaf.component, "pools", leaf.pool, "values"}
	}
	return diag.Finding{
		ID: "VALUES-004", Severity: diag.Error,
		Position: s.Locate(at), Path: PathString(at),
		Message: fmt.Sprintf("%s is not rendered, so its values have no effect", leaf.component),
		Why:     "Values are given to the chart that gpugen renders; there is none.",
		Fix:     "remove the values, or set components." + PathString([]any{leaf.component}) + ".state to \"managed\"",
	}
}

// misplaced is the finding about a value that the chart does not have, or wants
// otherwise.
func misplaced(s *Spec, index *chartindex.Index, leaf override) (diag.Finding, bool) {
	at := leaf.at()
	chart := index.Chart.Name + " " + index.Chart.Version
	match := index.Lookup(leaf.path)
	// The key that is wrong, not the leaf below it.
	wrong := at[:len(at)-len(leaf.path)+min(match.At+1, len(leaf.path))]
	f := diag.Finding{
		ID: "VALUES-002", Severity: diag.Error,
		Position: s.Locate(wrong), Path: PathString(wrong),
		Message: fmt.Sprintf("chart %s has no value %s", chart, strings.Join(leaf.path, ".")),
		Why:     "Helm accepts keys that a chart never reads: the setting would have no effect, in silence.",
		Fix:     "remove it",
		Source:  "schema/facts/charts",
	}
	switch match.Kind {
	case chartindex.NotKnown, chartindex.Suspicious:
		if match.Nearest != nil {
			nearest := strings.Join(match.Nearest, ".")
			f.Message += fmt.Sprintf("; did you mean %s?", nearest)
			f.Fix = "write " + nearest
		}
		if match.Kind == chartindex.Suspicious {
			// The map takes any key, so that this one may be meant.
			f.ID, f.Severity = "VALUES-005", diag.Warning
		}
		return f, true
	case chartindex.Known:
		if err := match.Value.Check(leaf.value); err != nil {
			f.ID = "VALUES-003"
			f.Message = fmt.Sprintf("chart %s: %v", chart, err)
			f.Why = "A value of another type renders to something that the API server refuses, or that nobody meant."
			f.Fix = "give the value the type that the chart has"
			return f, true
		}
		if match.Value.Unread {
			f.ID, f.Severity = "VALUES-006", diag.Warning
			f.Message = fmt.Sprintf("chart %s has the value %s, but no template reads it", chart, strings.Join(leaf.path, "."))
			f.Why = "The setting has no effect."
			return f, true
		}
	}
	return diag.Finding{}, false
}

// bringsChart tells whether a component is the user's own, with a chart.
func bringsChart(s *Spec, component string) bool {
	components, _ := s.Data["components"].(map[string]any)
	own, _ := components[component].(map[string]any)
	return own["chart"] != nil
}
