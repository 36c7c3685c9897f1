package guide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/generators/argocd"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

// ofTree is the block of a page that only the finished tree tells.
func ofTree(p *plan.Plan, name string) (plan.Block, error) {
	switch name {
	case "components":
		return components(p), nil
	case "order":
		return order(p), nil
	case "project":
		needs, err := tree.Marshal(argocd.Project(p)["spec"])
		return plan.Block{Code: &plan.Code{Language: "yaml", Text: string(needs)}}, err
	default:
		return plan.Block{}, fmt.Errorf("a tree tells nothing called %q", name)
	}
}

// components is a table of what is rendered and what is there already.
func components(p *plan.Plan) plan.Block {
	table := &plan.Table{Columns: []string{"Component", "Chart", "Namespace", "Wave"}}
	shown, more := alike(p)
	for _, c := range shown {
		chart := ""
		if c.Chart != nil {
			chart = c.Chart.Name + " " + c.Chart.Version
		}
		table.Rows = append(table.Rows, []string{c.Title + " (`" + c.Name + "`)", chart, namespaces(c), strconv.Itoa(c.Wave)})
		if n := more[c.Name]; n > 0 {
			table.Rows = append(table.Rows, []string{fmt.Sprintf("and %d more like it", n), "", "", strconv.Itoa(c.Wave)})
		}
	}
	for _, s := range p.States {
		if s.State == "external" {
			there := "already in the cluster"
			if s.Version != "" {
				there += ", " + s.Version
			}
			table.Rows = append(table.Rows, []string{s.Component, there, "", ""})
		}
	}
	if p.GitOps.Flux != nil {
		// Flux has no waves: the order is below.
		last := len(table.Columns) - 1
		table.Columns = table.Columns[:last]
		for i := range table.Rows {
			table.Rows[i] = table.Rows[i][:last]
		}
	}
	return plan.Block{Table: table}
}

// mostNamespaces are named in a cell, and mostAlike components of one kind in a
// page; there may be a thousand tenants.
const (
	mostNamespaces = 8
	mostAlike      = 8
)

// alike leaves out what follows mostAlike components of one kind, and says after
// which component how many are missing.
func alike(p *plan.Plan) (shown []plan.Component, more map[string]int) {
	last, seen := map[string]string{}, map[string]int{}
	more = map[string]int{}
	for _, c := range p.Components {
		kind := fmt.Sprint(c.Of, c.Wave)
		if seen[kind]++; c.Chart == nil && seen[kind] > mostAlike {
			more[last[kind]]++
			continue
		}
		last[kind] = c.Name
		shown = append(shown, c)
	}
	return shown, more
}

// namespaces are those that a component without a chart makes, or the one that it
// runs in, or none: gpugen's own objects say the namespace that they are in.
func namespaces(c plan.Component) string {
	var names []string
	inside := c.Chart != nil || c.Own
	if c.Chart == nil {
		for _, o := range c.Final() {
			metadata, _ := o["metadata"].(map[string]any)
			if o["kind"] == "Namespace" {
				names = append(names, fmt.Sprint(metadata["name"]))
			}
			inside = inside || metadata["namespace"] != nil
		}
	}
	if len(names) == 0 && inside {
		names = []string{c.Namespace}
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = "`" + name + "`"
	}
	switch {
	case len(names) > mostNamespaces:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamespaces], ", "), len(names)-mostNamespaces)
	default:
		return strings.Join(names, ", ")
	}
}

// order is a diagram of the Applications and what comes first among them.
func order(p *plan.Plan) plan.Block {
	id := strings.NewReplacer("-", "_", ".", "_").Replace
	var out strings.Builder
	root := "Application"
	if p.GitOps.Flux != nil {
		root = "Kustomization"
	}
	fmt.Fprintf(&out, "flowchart LR\n  root[\"%s %s\"]\n", root, p.Name)
	if project := p.GitOps.ArgoCD.Project; project.Create && p.GitOps.Flux == nil {
		fmt.Fprintf(&out, "  root --> project[\"AppProject %s\"]\n", project.Name)
	}
	shown, more := alike(p)
	for _, c := range shown {
		label := c.Name
		if c.Chart != nil {
			label += "<br/>" + c.Chart.Version
		}
		if n := more[c.Name]; n > 0 {
			label += fmt.Sprintf("<br/>and %d more", n)
		}
		fmt.Fprintf(&out, "  root --> %s[\"%s\"]\n", id(c.Name), label)
	}
	for _, c := range shown {
		for _, need := range c.Needs {
			fmt.Fprintf(&out, "  %s -.-> %s\n", id(need), id(c.Name))
		}
	}
	return plan.Block{Code: &plan.Code{Language: "mermaid", Text: out.String()}}
}
