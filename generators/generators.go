// Package generators is the pipeline from a spec to a tree, as one readable
// function. It must not write to a disk, nor print.
package generators

import (
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/generators/argocd"
	"github.com/gpugen/gpugen/generators/flux"
	"github.com/gpugen/gpugen/generators/guide"
	"github.com/gpugen/gpugen/generators/kustomize"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/rendered"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/generators/verify"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// Result is a rendered cluster.
type Result struct {
	Plan *plan.Plan
	Tree *tree.Tree
	// Meta is what the tree's inventory says besides the files.
	Meta tree.Meta

	cluster *schema.Cluster
}

// At is where a field of the spec is written, or the nearest that is.
func (r *Result) At(path ...any) diag.Position { return r.cluster.Spec.Locate(path) }

// Waive drops warnings about where the tree goes that the spec accepts with a reason.
func (r *Result) Waive(findings diag.List) diag.List { return r.cluster.Waive(findings) }

// Render loads, resolves, checks, generates and verifies. The result is nil if a
// finding is an error.
func Render(in schema.Input) (*Result, diag.List) {
	cluster, findings := schema.Evaluate(in)
	if cluster == nil || findings.HasErrors() {
		return nil, findings
	}
	p, err := plan.New(cluster)
	if err != nil {
		return nil, append(findings, schema.Defect("%v", err))
	}
	if findings = append(findings, verify.Objects(p, cluster.Spec)...); findings.HasErrors() {
		return nil, findings
	}
	if findings = judgePatches(p, cluster, findings); findings.HasErrors() {
		return nil, findings
	}
	t, err := Generate(p)
	if err != nil {
		return nil, append(findings, schema.Defect("%v", err))
	}
	ofTree := append(verify.Check(p, t, cluster.Spec), judgeBrought(p, t, cluster)...)
	findings = append(findings, cluster.Waive(ofTree, diag.IDs(slices.Concat(verify.Kinds, rendered.Kinds))...)...)
	if findings.HasErrors() {
		return nil, findings
	}
	return &Result{Plan: p, Tree: t, Meta: meta(p, cluster.SiteHash()), cluster: cluster}, findings
}

// Generate makes the tree of a plan.
func Generate(p *plan.Plan) (*tree.Tree, error) {
	if p.GitOps.Flux != nil {
		p = flux.Adapted(p)
	}
	t := &tree.Tree{}
	header := fmt.Sprintf("Rendered by gpugen from the spec of cluster %s. Change the spec, not this file.", p.Name)
	for _, c := range p.Components {
		if err := kustomize.Write(t, c, header); err != nil {
			return nil, err
		}
	}
	write := argocd.Write
	if p.GitOps.Flux != nil {
		write = flux.Write
	}
	if err := write(t, p, header); err != nil {
		return nil, err
	}
	if err := guide.Write(t, p, header); err != nil {
		return nil, err
	}
	t.Offer(attributesFile, attributes(t.Files(), header))
	return t, nil
}
