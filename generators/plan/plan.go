// Package plan turns a resolved cluster into what the generators need: plain Go
// values, in an order. It must not know any component by name, nor write YAML.
package plan

import (
	"cmp"
	"fmt"

	"github.com/gpugen/gpugen/schema"
)

// Plan is a cluster to be generated.
type Plan struct {
	Name       string
	Kubernetes Kubernetes
	GitOps     GitOps
	// Components to be rendered, those that others need first.
	Components []Component
	// States of all components, by name, rendered or not.
	States []State
	// Guide holds what people read in the tree, by file.
	Guide map[string]Page
	// Health checks for Argo CD in Lua, by GROUP_KIND; none unless the spec asks for them.
	Health map[string]string
	// FluxHealth are health checks for Flux in CEL, by GROUP_KIND.
	FluxHealth map[string]CEL
	// Labels that nodes need.
	Labels []NodeLabel
	// RequiredLabels are what people read of them; empty if there are none.
	RequiredLabels map[string]any
}

// New reads a plan out of a cluster without error findings.
//
// An error is a defect of the knowledge base: a template that is not concrete,
// or components that need each other in a circle.
func New(c *schema.Cluster) (*Plan, error) {
	p := &Plan{Name: c.Spec.Name}
	var components map[string]Component
	for path, into := range map[string]any{
		"spec.kubernetes":    &p.Kubernetes,
		"spec.gitops":        &p.GitOps,
		"components":         &components,
		"guide":              &p.Guide,
		"argocdHealth":       &p.Health,
		"fluxHealth":         &p.FluxHealth,
		"nodeLabels":         &p.Labels,
		"requiredNodeLabels": &p.RequiredLabels,
	} {
		if err := c.Decode(path, into); err != nil {
			return nil, fmt.Errorf("knowledge base: %w", err)
		}
	}
	var err error
	if p.States, err = States(c); err != nil {
		return nil, err
	}
	if err := addWhatUsersBring(c, components); err != nil {
		return nil, err
	}
	if err := p.order(components); err != nil {
		return nil, err
	}
	for i := range p.Components {
		if chart := p.Components[i].Chart; chart != nil && !p.Components[i].Own {
			index, err := c.ChartIndex(chart.Name, cmp.Or(chart.IndexOf, chart.Version))
			if err != nil {
				return nil, fmt.Errorf("knowledge base: %w", err)
			}
			p.Components[i].Index = index
		}
	}
	return p, nil
}

// NodeLabel is a label that a pool's nodes need.
type NodeLabel struct {
	Pool  string `json:"pool"`
	Key   string `json:"key"`
	Value string `json:"value"`
}
