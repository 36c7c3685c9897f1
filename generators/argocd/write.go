package argocd

import (
	"fmt"
	"path"

	"github.com/gpugen/gpugen/generators/kustomize"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

// Dir holds Argo CD's objects in a tree.
const Dir = "argocd"

// RootFile is the one file that a person applies.
const RootFile = "root.yaml"

// Write adds Argo CD's objects, the kustomization that the root Application
// reads, and each component's values to the tree.
func Write(t *tree.Tree, p *plan.Plan, header string) error {
	files := map[string]object{}
	var resources []string
	add := func(name string, o object) {
		name = path.Join(Dir, fileName(name))
		files[name] = o
		resources = append(resources, name)
	}
	if p.GitOps.ArgoCD.Project.Create {
		add("project", Project(p))
	}
	set := p.GitOps.ArgoCD.Layout == "applicationset" && len(p.Components) > 0
	if set {
		o, err := ApplicationSet(p)
		if err != nil {
			return err
		}
		add(setFile, o)
	}
	for _, c := range p.Components {
		if !set {
			add(c.Name, Application(p, c))
		}
		if ValuesInFile(p, c) {
			if err := t.AddYAML(path.Join(c.Name, "values.yaml"), header, c.Values); err != nil {
				return fmt.Errorf("values of %s: %w", c.Name, err)
			}
		}
	}
	for name, o := range files {
		if err := t.AddYAML(name, header, o); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := writeHealth(t, p, header); err != nil {
		return err
	}
	if err := t.AddYAML(RootFile, header+"\nApply this once: kubectl apply -f root.yaml", Root(p)); err != nil {
		return err
	}
	return kustomize.WriteList(t, ".", resources, header)
}
