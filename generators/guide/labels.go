package guide

import (
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/plan"
)

// requiredLabels is the content of required-node-labels.yaml: each label, who
// sets it, and what to paste where a provisioner does.
func requiredLabels(p *plan.Plan) map[string]any {
	var labels []any
	byPool := map[string][]plan.NodeLabel{}
	for _, l := range p.Labels {
		labels = append(labels, map[string]any{
			"pool": l.Pool, "label": l.Key, "value": l.Value, "setBy": l.Setter, "why": l.Why,
		})
		if l.Setter == "provisioner" {
			byPool[l.Pool] = append(byPool[l.Pool], l)
		}
	}
	out := map[string]any{"labels": labels}
	if len(byPool) == 0 {
		return out
	}
	snippets := map[string]any{}
	for _, pool := range slices.Sorted(maps.Keys(byPool)) {
		entry := map[string]any{"existing nodes": kubectl(p, pool, byPool[pool])}
		for tool, s := range p.LabelSnippets {
			snippet := map[string]any{"title": s.Title, "text": fill(s, pool, byPool[pool])}
			if s.OnlyAtJoin {
				snippet["onlyAtJoin"] = true
			}
			if s.Note != "" {
				snippet["note"] = s.Note
			}
			entry[tool] = snippet
		}
		snippets[pool] = entry
	}
	out["snippets"] = snippets
	return out
}

// fill puts labels into a snippet.
func fill(s plan.LabelSnippet, pool string, labels []plan.NodeLabel) string {
	var items []string
	for _, l := range labels {
		items = append(items, strings.NewReplacer("KEY", l.Key, "VALUE", l.Value).Replace(s.Item))
	}
	return strings.NewReplacer("LABELS", strings.Join(items, s.Separator), "POOL", pool).Replace(s.Template)
}

// kubectl labels the nodes that have joined already.
func kubectl(p *plan.Plan, pool string, labels []plan.NodeLabel) string {
	var selector []string
	for _, candidate := range p.Pools {
		if candidate.Name != pool {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(candidate.NodeSelector)) {
			selector = append(selector, key+"="+candidate.NodeSelector[key])
		}
	}
	args := []string{"kubectl label nodes"}
	if len(selector) > 0 {
		args = append(args, "-l "+strings.Join(selector, ","))
	} else {
		args = append(args, "NODE")
	}
	for _, l := range labels {
		args = append(args, l.Key+"="+l.Value)
	}
	return strings.Join(append(args, "--overwrite"), " ")
}
