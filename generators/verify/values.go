package verify

import (
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

// values checks the values of charts whose facts were taken over from another version:
// the templates may set what this one no longer has.
func values(p *plan.Plan, s *schema.Spec) diag.List {
	var findings diag.List
	for _, c := range p.Components {
		if c.Chart == nil || c.Chart.Like == "" || c.Index == nil {
			continue
		}
		for _, value := range lacking(c.Index, nil, c.Values) {
			findings.Add(at(s, []any{"components", c.Of, "version"}, noValue, "the tree sets %s of %s, which the chart %s does not have; %s, which it is like, has",
				value, c.Name, c.Chart.Version, c.Chart.Like))
		}
	}
	return findings
}

// lacking are the values at or below a path that a chart does not know.
func lacking(index *chartindex.Index, above []string, values map[string]any) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := append(slices.Clone(above), key)
		if index.Lookup(path).Kind == chartindex.NotKnown {
			out = append(out, strings.Join(path, "."))
			continue
		}
		if below, ok := values[key].(map[string]any); ok {
			out = append(out, lacking(index, path, below)...)
		}
	}
	return out
}
