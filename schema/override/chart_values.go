package override

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
)

// checkPaths compares the user's Helm values with the index of the chart that
// takes them: Helm itself accepts any key in silence. Values about which
// already says something are left alone.
func (r *resolver) checkPaths(o *overrides, root cue.Value, already diag.List) diag.List {
	var findings diag.List
	indexes := map[string]*chartindex.Index{}
	for _, leaf := range o.leaves {
		at := leaf.at()
		if slices.ContainsFunc(already, func(f diag.Finding) bool { return source.Below(source.PathString(at), f.Path) }) {
			continue
		}
		if bringsChart(r.spec, leaf.component) {
			// Nobody knows what it reads.
			continue
		}
		index, ok := indexes[leaf.component]
		if !ok {
			index = r.indexOf(root, leaf.component)
			indexes[leaf.component] = index
			if index == nil {
				findings.Add(r.unused(leaf))
			}
		}
		if index == nil {
			continue
		}
		if f, bad := r.misplaced(index, leaf); bad {
			findings.Add(f)
		} else if f, bad := r.moves(index, root, leaf); bad {
			findings.Add(f)
		}
	}
	return findings
}

// indexOf is the index of the chart version that a component uses, or nil for
// one that is not rendered.
func (r *resolver) indexOf(root cue.Value, component string) *chartindex.Index {
	state, _ := root.LookupPath(cue.MakePath(cue.Str("spec"), cue.Str("components"), cue.Str(component), cue.Str("state"))).String()
	if state == "external" || state == "off" {
		return nil
	}
	return indexFor(r.engine, r.spec.Data, component)
}

// indexFor is the index of the chart version that a spec names for a component,
// else of the one that stands in, else of the preferred one, or nil.
func indexFor(e *knowledge.Engine, data map[string]any, component string) *chartindex.Index {
	components, _ := data["components"].(map[string]any)
	override, _ := components[component].(map[string]any)
	version, _ := override["version"].(string)
	if index := e.IndexOf(component, version); index != nil {
		return index
	}
	if near := e.StandsIn(component, version); near != "" {
		return e.IndexOf(component, near)
	}
	preferred, err := e.PreferredVersion(component)
	if err != nil {
		return nil
	}
	return e.IndexOf(component, preferred)
}

// hasNoDefault tells whether a chart has no default at a path that it knows. To
// Helm null removes the chart's default, so that there it says nothing at all.
func hasNoDefault(e *knowledge.Engine, data map[string]any, leaf override) bool {
	index := indexFor(e, data, leaf.component)
	if index == nil {
		return false
	}
	match := index.Lookup(leaf.path)
	return match.Kind == chartindex.Known && (match.Value.Type == chartindex.TypeUnknown || match.Value.Origin == chartindex.OriginTemplate)
}

// unused is the finding about values that no chart will ever see.
func (r *resolver) unused(leaf override) diag.Finding {
	at := []any{"components", leaf.component, "values"}
	if leaf.pool != "" {
		at = []any{"components", leaf.component, "pools", leaf.pool, "values"}
	}
	f := r.at(notRendered, at, "%s is not rendered, so its values have no effect", leaf.component)
	f.Fix = "remove the values, or set components." + source.PathString([]any{leaf.component}) + ".state to \"managed\""
	return f
}

// misplaced is the finding about a value that the chart does not have, or wants
// otherwise.
func (r *resolver) misplaced(index *chartindex.Index, leaf override) (diag.Finding, bool) {
	match := index.Lookup(leaf.path)
	chart, value := index.Chart.Name+" "+index.Chart.Version, strings.Join(leaf.path, ".")
	// The key that is wrong, not the leaf below it.
	at := leaf.at()
	wrong := at[:len(at)-len(leaf.path)+min(match.At+1, len(leaf.path))]
	finding := func(kind diag.Kind, format string, args ...any) diag.Finding {
		f := r.at(kind, wrong, format, args...)
		f.Source = "schema/facts/charts"
		return f
	}
	switch match.Kind {
	case chartindex.NotKnown, chartindex.Suspicious:
		kind := noSuchValue
		if match.Kind == chartindex.Suspicious {
			// The map takes any key, so that this one may be meant.
			kind = misspeltKey
		}
		f := finding(kind, "chart %s has no value %s", chart, value)
		if match.Nearest != nil {
			nearest := strings.Join(match.Nearest, ".")
			f.Message += fmt.Sprintf("; did you mean %s?", nearest)
			f.Fix = "write " + nearest
		}
		return f, true
	case chartindex.Known:
		if err := match.Value.Check(leaf.value); err != nil {
			return finding(wrongType, "chart %s: %v", chart, err), true
		}
		if match.Value.Unread {
			return finding(unreadValue, "chart %s has the value %s, but no template reads it", chart, value), true
		}
	}
	return diag.Finding{}, false
}

// bringsChart tells whether a component is the user's own, with a chart.
func bringsChart(s *source.Spec, component string) bool {
	components, _ := s.Data["components"].(map[string]any)
	own, _ := components[component].(map[string]any)
	return own["chart"] != nil
}
