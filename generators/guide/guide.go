// Package guide writes what people read in a tree: README.md for operators,
// USAGE.md for tenants, and the node labels that somebody has to set. Its texts
// are templates; it must not hold facts of its own.
package guide

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators/argocd"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/templates"
)

// Write adds the guides to the tree.
func Write(t *tree.Tree, p *plan.Plan, header string) error {
	data, err := newPage(p)
	if err != nil {
		return err
	}
	for _, name := range []string{"README.md", "USAGE.md"} {
		text, err := render(name, data)
		if err != nil {
			return err
		}
		t.Add(name, text)
	}
	if len(p.Labels) == 0 {
		return nil
	}
	return t.AddYAML("required-node-labels.yaml", header, requiredLabels(p))
}

// page is what the templates read.
type page struct {
	*plan.Plan
	External     []plan.State
	Hooks        []hook
	ProjectNeeds string
}

type hook struct {
	Chart string
	plan.Hook
}

func newPage(p *plan.Plan) (*page, error) {
	out := &page{Plan: p}
	for _, s := range p.States {
		if s.State == "external" {
			out.External = append(out.External, s)
		}
	}
	seen := map[string]bool{}
	for _, c := range p.Components {
		if c.Chart == nil || seen[c.Chart.Name] {
			continue
		}
		seen[c.Chart.Name] = true
		for _, h := range c.Chart.Hooks {
			out.Hooks = append(out.Hooks, hook{Chart: c.Chart.Name + " " + c.Chart.Version, Hook: h})
		}
	}
	needs, err := yaml.Marshal(argocd.Project(p)["spec"])
	if err != nil {
		return nil, err
	}
	out.ProjectNeeds = string(needs)
	return out, nil
}

func render(name string, data *page) ([]byte, error) {
	text, err := templates.Files.ReadFile("_static/" + name + ".tmpl")
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Funcs(template.FuncMap{
		"id":     func(s string) string { return strings.NewReplacer("-", "_", ".", "_").Replace(s) },
		"nodes":  nodes,
		"driver": driver,
		"pod":    pod,
		"object": object,
		"claim":  func(name string, c plan.Claim) (string, error) { return claim(data.ResourceAPI, name, c) },
	}).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, err
	}
	return append(bytes.TrimRight(out.Bytes(), "\n"), '\n'), nil
}

func nodes(p plan.Pool) string {
	switch {
	case p.Nodes != nil:
		return fmt.Sprint(*p.Nodes)
	case p.Autoscaled != nil:
		return fmt.Sprintf("%d to %d", p.Autoscaled.Min, p.Autoscaled.Max)
	default:
		return ""
	}
}

func driver(p plan.Pool) string {
	switch p.Driver.Source {
	case "host":
		return p.Host.Driver + " of the host"
	case "cloud":
		return "of the provider"
	default:
		return "of the operator"
	}
}

// claim is the ResourceClaimTemplate of a kind of device.
func claim(apiVersion, name string, c plan.Claim) (string, error) {
	var selectors []any
	for _, expression := range c.Selectors {
		selectors = append(selectors, map[string]any{"cel": map[string]any{"expression": expression}})
	}
	out, err := yaml.Marshal(map[string]any{
		"apiVersion": apiVersion,
		"kind":       "ResourceClaimTemplate",
		"metadata":   map[string]any{"name": name},
		"spec": map[string]any{"spec": map[string]any{"devices": map[string]any{"requests": []any{map[string]any{
			"name":    "gpu",
			"exactly": map[string]any{"deviceClassName": c.DeviceClass, "selectors": selectors},
		}}}}},
	})
	return string(out), err
}

// object is a manifest as YAML.
func object(o map[string]any) (string, error) {
	out, err := yaml.Marshal(o)
	return string(out), err
}

// pod is an example that asks for one of the pool's resources, or claims one of
// its devices.
func pod(p plan.Pool) (string, error) {
	resources := map[string]any{}
	container := map[string]any{
		"name":      "main",
		"image":     "registry.example.com/team/workload:1.0",
		"resources": resources,
	}
	spec := map[string]any{"restartPolicy": "Never", "containers": []any{container}}
	limits := map[string]any{}
	for name, count := range p.Usage.RDMA.Resources {
		limits[name] = count
	}
	if names := slices.Sorted(maps.Keys(p.Usage.Resources)); len(names) > 0 {
		limits[names[0]] = 1
	} else if names := slices.Sorted(maps.Keys(p.Usage.Claims)); len(names) > 0 {
		resources["claims"] = []any{map[string]any{"name": "gpu"}}
		spec["resourceClaims"] = []any{map[string]any{"name": "gpu", "resourceClaimTemplateName": names[0]}}
	}
	if len(limits) > 0 {
		resources["limits"] = limits
	}
	metadata := map[string]any{"name": "example"}
	if annotations := p.Usage.RDMA.Annotations; len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	if capabilities := p.Usage.RDMA.Capabilities; len(capabilities) > 0 {
		container["securityContext"] = map[string]any{"capabilities": map[string]any{"add": capabilities}}
	}
	if len(p.NodeSelector) > 0 {
		spec["nodeSelector"] = p.NodeSelector
	}
	if len(p.Usage.Tolerations) > 0 {
		spec["tolerations"] = p.Usage.Tolerations
	}
	if p.Usage.RuntimeClass != "" {
		spec["runtimeClassName"] = p.Usage.RuntimeClass
	}
	out, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1",
		"kind":       "Pod",
		"metadata":   metadata,
		"spec":       spec,
	})
	return string(out), err
}
