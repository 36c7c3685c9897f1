package schema

import (
	"encoding/json"
	"fmt"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
)

// Cluster is one spec, resolved and checked.
type Cluster struct {
	// Spec is what the user wrote.
	Spec *Spec
	// root is package rules with the spec filled in.
	root cue.Value
}

// Decode reads part of the resolved cluster: spec, components, states, pools,
// nodeLabels or platform, or anything below, into a Go value as JSON would.
//
// An error is a defect of the knowledge base.
func (c *Cluster) Decode(path string, into any) error {
	v := c.root.LookupPath(cue.ParsePath(path))
	if err := v.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	data, err := v.MarshalJSON()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return json.Unmarshal(data, into)
}

// Evaluate loads a spec, resolves it and checks it. All that can be found is
// found; the cluster is nil if nothing could be resolved.
//
// It runs CUE under a watchdog: if the input never finishes evaluating, the
// goroutine is left behind and the only sound thing is to exit.
func Evaluate(in Input) (*Cluster, diag.List) {
	var (
		cluster  *Cluster
		findings diag.List
	)
	// Loading and site rules have watchdogs of their own, which know the place;
	// this one is for the knowledge base itself.
	hung, tripped := guard(Limits{time: 6 * defaultTime, heap: 2 * defaultHeap}, "the spec", func() {
		e, err := newEngine()
		if err != nil {
			findings.Add(defect(err))
			return
		}
		cluster, findings = e.evaluate(in)
	})
	if tripped {
		return nil, diag.List{hung}
	}
	return cluster, findings
}

func (e *engine) evaluate(in Input) (*Cluster, diag.List) {
	spec, findings := e.load(in)
	if spec == nil {
		return nil, findings
	}
	root, more := e.resolveSpec(spec)
	findings = append(findings, more...)
	if !root.Exists() {
		return nil, findings
	}
	findings = append(findings, e.checkNeeds(spec, root)...)
	c := &Cluster{Spec: spec, root: root}
	found := e.check(c, findings.HasErrors())
	return c, append(findings, found...)
}

// defect is a finding about gpugen itself.
func defect(err error) diag.Finding {
	return diag.Finding{
		ID: "RULE-001", Severity: diag.Error, Fatal: true,
		Message: "the knowledge base does not evaluate: " + err.Error(),
		Why:     "This is a defect of gpugen, not of the spec.",
		Fix:     "report it with the spec that shows it",
	}
}
