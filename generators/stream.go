package generators

import (
	"slices"

	"github.com/gpugen/gpugen/generators/argocd"
	"github.com/gpugen/gpugen/generators/flux"
	"github.com/gpugen/gpugen/generators/kustomize"
	"github.com/gpugen/gpugen/generators/plan"
)

// Part is the objects of one directory of the tree, as one YAML stream.
type Part struct {
	// Component is the directory's, or "argocd" or "flux".
	Component string
	Data      []byte
}

// deliveryDir holds the objects of Argo CD or of Flux.
func deliveryDir(p *plan.Plan) string {
	if p.GitOps.Flux != nil {
		return flux.Dir
	}
	return argocd.Dir
}

// Stream is what `kustomize build` makes of the tree's directories: the root
// Application and Argo CD's objects first, then the components in their order.
//
// An error means that a directory does not build, which is a defect.
func Stream(r *Result) ([]Part, error) {
	root, _ := r.Tree.Get(argocd.RootFile)
	built, err := kustomize.Build(r.Tree, ".")
	if err != nil {
		return nil, err
	}
	data := append(append([]byte{}, root...), "---\n"...)
	parts := []Part{{Component: deliveryDir(r.Plan), Data: append(data, built...)}}
	for _, c := range r.Plan.Components {
		if len(c.Objects) == 0 {
			continue
		}
		built, err := kustomize.Build(r.Tree, c.Name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, Part{Component: c.Name, Data: built})
	}
	return parts, nil
}

// Objects are what `kustomize build` makes of one directory of the tree: a component's,
// or argocd's, without the root Application, which a person applies. known are the names
// that there are objects of; data is nil for any other.
//
// An error means that the directory does not build, which is a defect.
func Objects(r *Result, component string) (data []byte, known []string, err error) {
	delivery := deliveryDir(r.Plan)
	known = []string{delivery}
	for _, c := range r.Plan.Components {
		if len(c.Objects) > 0 {
			known = append(known, c.Name)
		}
	}
	switch {
	case component == delivery:
		data, err = kustomize.Build(r.Tree, ".")
	case slices.Contains(known, component):
		data, err = kustomize.Build(r.Tree, component)
	}
	slices.Sort(known)
	return data, known, err
}
