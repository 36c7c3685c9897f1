package guide

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators/argocd"
	"github.com/gpugen/gpugen/generators/plan"
)

// ofTree is the block of a page that only the finished tree tells.
func ofTree(p *plan.Plan, name string) (plan.Block, error) {
	switch name {
	case "components":
		return components(p), nil
	case "order":
		return order(p), nil
	case "project":
		needs, err := yaml.Marshal(argocd.Project(p)["spec"])
		return plan.Block{Code: &plan.Code{Language: "yaml", Text: string(needs)}}, err
	default:
		return plan.Block{}, fmt.Errorf("a tree tells nothing called %q", name)
	}
}

// components is a table of what is rendered and what is there already.
func components(p *plan.Plan) plan.Block {
	table := &plan.Table{Columns: []string{"Component", "Chart", "Namespace", "Wave"}}
	for _, c := range p.Components {
		chart := ""
		if c.Chart != nil {
			chart = c.Chart.Name + " " + c.Chart.Version
		}
		table.Rows = append(table.Rows, []string{c.Title + " (`" + c.Name + "`)", chart, namespaces(c), strconv.Itoa(c.Wave)})
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
	return plan.Block{Table: table}
}

// mostNamespaces are named in a cell; there may be a thousand tenants.
const mostNamespaces = 8

// namespaces are those that a component without a chart makes, or the one that it
// runs in.
func namespaces(c plan.Component) string {
	var names []string
	if c.Chart == nil {
		for _, o := range c.Final() {
			if metadata, ok := o["metadata"].(map[string]any); ok && o["kind"] == "Namespace" {
				names = append(names, fmt.Sprint(metadata["name"]))
			}
		}
	}
	if len(names) == 0 {
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
	fmt.Fprintf(&out, "flowchart LR\n  root[\"Application %s\"]\n", p.Name)
	if project := p.GitOps.ArgoCD.Project; project.Create {
		fmt.Fprintf(&out, "  root --> project[\"AppProject %s\"]\n", project.Name)
	}
	for _, c := range p.Components {
		label := c.Name
		if c.Chart != nil {
			label += "<br/>" + c.Chart.Version
		}
		fmt.Fprintf(&out, "  root --> %s[\"%s\"]\n", id(c.Name), label)
	}
	for _, c := range p.Components {
		for _, need := range c.Needs {
			fmt.Fprintf(&out, "  %s -.-> %s\n", id(need), id(c.Name))
		}
	}
	return plan.Block{Code: &plan.Code{Language: "mermaid", Text: out.String()}}
}
