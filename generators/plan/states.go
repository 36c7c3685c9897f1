package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gpugen/gpugen/schema"
)

// State of a component, and why.
type State struct {
	Component string `json:"component"`
	State     string `json:"state"`
	Version   string `json:"version,omitempty"`
	Reason    string `json:"reason"`
}

// States says of every component which state it has, and why, by name.
func States(c *schema.Cluster) ([]State, error) {
	var states, reasons map[string]State
	if err := c.Decode("spec.components", &states); err != nil {
		return nil, fmt.Errorf("knowledge base: %w", err)
	}
	if err := c.Decode("states", &reasons); err != nil {
		return nil, fmt.Errorf("knowledge base: %w", err)
	}
	var out []State
	for _, name := range slices.Sorted(maps.Keys(states)) {
		s := states[name]
		s.Component, s.Reason = name, reasons[name].Reason
		if c.Spec.Wrote([]any{"components", name, "state"}) {
			s.Reason = "the spec says so"
		}
		if s.State == "external" && !c.Spec.Wrote([]any{"components", name, "version"}) {
			// What gpugen would install says nothing of what is there.
			s.Version = ""
		}
		out = append(out, s)
	}
	return out, nil
}
