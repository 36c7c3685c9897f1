package helm

import (
	"encoding/json"
	"slices"
)

// jsonSchema is as much of a chart's values.schema.json as tells what must be set.
type jsonSchema struct {
	Required   []string              `json:"required"`
	Properties map[string]jsonSchema `json:"properties"`
}

// requireBySchema marks what the schemas of the chart and its sub-charts list as
// required. What it says below a value that may be left out counts only if that is
// required itself, or has a default.
func (u *unit) requireBySchema() {
	var schema jsonSchema
	// A schema that is none is Helm's to refuse.
	if json.Unmarshal(u.chart.Schema, &schema) == nil {
		u.values.require(schema)
	}
	for _, sub := range u.subs {
		sub.requireBySchema()
	}
}

func (n *node) require(schema jsonSchema) {
	for key, property := range schema.Properties {
		required := slices.Contains(schema.Required, key)
		child := n.children[key]
		if required {
			child = n.make(key)
			// Helm itself looks for it.
			child.required, child.read = true, true
		}
		if child != nil && (required || child.def != nil) {
			child.require(property)
		}
	}
}
