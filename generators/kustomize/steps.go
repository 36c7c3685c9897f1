package kustomize

import (
	"strings"

	//lint:ignore SA1019 nothing else of kustomize's applies one patch to what is loaded already
	"sigs.k8s.io/kustomize/api/builtins"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

// steps are what a component's patches do, one after the other.
type steps struct {
	// changed keys of each patch.
	changed [][]string
	// objects after all of them, in the order of keys.
	objects []string
}

// stepwise applies each patch to what those before it left, and looks at what the
// patch selects only, so that the cost grows with the patches and not faster.
//
// An error says no more than that there are no steps.
func stepwise(c plan.Component, keys []string) (taken *steps, err error) {
	defer refusedByPanic(&err)
	factory := resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory())
	helpers := resmap.NewPluginHelpers(nil, nil, factory, nil)
	objects, err := load(factory, c, keys)
	if err != nil {
		return nil, err
	}
	out := &steps{objects: make([]string, len(keys))}
	position, identities := map[*resource.Resource]int{}, make([]string, len(keys))
	for i, r := range objects.Resources() {
		position[r] = i
		if out.objects[i], identities[i], err = text(r); err != nil {
			return nil, err
		}
	}
	for _, patch := range c.Patches {
		config, err := tree.Marshal(patch)
		if err != nil {
			return nil, err
		}
		p := &builtins.PatchTransformerPlugin{}
		if err := p.Config(helpers, config); err != nil {
			return nil, err
		}
		selected, err := selectedBy(p, factory, objects)
		if err != nil {
			return nil, err
		}
		if err := p.Transform(objects); err != nil {
			return nil, err
		}
		if objects.Size() != len(keys) {
			return nil, errRemoves
		}
		var these []string
		for _, r := range selected {
			after, same, err := text(r)
			if err != nil {
				return nil, err
			}
			if i := position[r]; after != out.objects[i] {
				if same != identities[i] {
					return nil, errRenames
				}
				these, out.objects[i] = append(these, keys[i]), after
			}
		}
		out.changed = append(out.changed, these)
	}
	return out, nil
}

// selectedBy are the objects that a patch is for: those of its target, or else those
// that it names.
func selectedBy(p *builtins.PatchTransformerPlugin, factory *resmap.Factory, objects resmap.ResMap) ([]*resource.Resource, error) {
	if p.Target != nil {
		return objects.Select(*p.Target)
	}
	named, err := factory.RF().SliceFromBytes([]byte(p.Patch))
	if err != nil {
		return nil, err
	}
	var out []*resource.Resource
	for _, name := range named {
		object, err := objects.GetById(name.OrgId())
		if err != nil {
			return nil, err
		}
		out = append(out, object)
	}
	return out, nil
}

func load(factory *resmap.Factory, c plan.Component, keys []string) (resmap.ResMap, error) {
	out := resmap.New()
	for _, key := range keys {
		data, err := tree.Marshal(c.Objects[key])
		if err != nil {
			return nil, err
		}
		one, err := factory.NewResMapFromBytes(data)
		if err != nil {
			return nil, err
		}
		if err := out.AppendAll(one); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// text is an object as a build prints it, without kustomize's own notes, and its identity.
func text(r *resource.Resource) (written, same string, err error) {
	r = r.DeepCopy()
	r.RemoveBuildAnnotations()
	object, err := r.Map()
	if err != nil {
		return "", "", err
	}
	data, err := tree.Marshal(object)
	return strings.TrimSuffix(string(data), "\n"), identity(object), err
}
