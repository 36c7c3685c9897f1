package override

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
)

// moves is the finding about a value by which a chart writes objects into another
// namespace than the component's.
func (r *resolver) moves(index *chartindex.Index, root cue.Value, leaf override) (diag.Finding, bool) {
	namespace, ok := leaf.value.(string)
	if !ok || namespace == "" || !slices.ContainsFunc(index.Objects, func(o chartindex.Object) bool {
		return slices.ContainsFunc(o.NamespacesFrom, func(p chartindex.Path) bool { return slices.Equal(p, leaf.path) })
	}) {
		return diag.Finding{}, false
	}
	own, brought := namespacesOf(root, leaf.component)
	if own == "" || own == namespace || slices.Contains(brought, namespace) {
		return diag.Finding{}, false
	}
	f := r.at(movesObjects, leaf.at(), "%s moves objects of %s from namespace %s to %s", strings.Join(leaf.path, "."), leaf.component, own, namespace)
	f.Fix = "remove the value; the namespace of all that " + leaf.component + " renders is components." + source.PathString([]any{leaf.component}) + ".namespace"
	f.Source = "schema/facts/charts"
	return f, true
}

// namespacesOf returns the namespace that the releases of a component go into, or "",
// and those that the component renders a Namespace for besides.
func namespacesOf(root cue.Value, component string) (own string, brought []string) {
	it, err := root.LookupPath(cue.ParsePath("components")).Fields()
	if err != nil {
		return "", nil
	}
	for it.Next() {
		if of, _ := it.Value().LookupPath(cue.ParsePath("of")).String(); of != component {
			continue
		}
		own, _ = it.Value().LookupPath(cue.ParsePath("namespace")).String()
		objects, err := it.Value().LookupPath(cue.ParsePath("objects")).Fields()
		for err == nil && objects.Next() {
			if kind, _ := objects.Value().LookupPath(cue.ParsePath("kind")).String(); kind == "Namespace" {
				name, _ := objects.Value().LookupPath(cue.ParsePath("metadata.name")).String()
				brought = append(brought, name)
			}
		}
		return own, brought
	}
	return "", nil
}
