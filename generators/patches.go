package generators

import (
	"slices"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/verify"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// judgePatches applies the user's patches to the plan's objects and has the rules
// look again, at what they made; found is what the first look at the spec found.
// Without patches nothing is done.
func judgePatches(p *plan.Plan, cluster *schema.Cluster, found diag.List) diag.List {
	changes, findings := verify.Patches(p, cluster.Spec)
	if len(changes) == 0 || findings.HasErrors() {
		return append(found, findings...)
	}
	patched := schema.Patched{}
	for i, c := range p.Components {
		did, ok := changes[c.Name]
		if !ok {
			continue
		}
		final, err := did.Final()
		if err != nil {
			return append(found, schema.Defect("%v", err))
		}
		p.Components[i].Patched = final
		patched[c.Name] = map[string]schema.PatchedObject{}
		for key, object := range final {
			patched[c.Name][key] = schema.PatchedObject{Object: object, At: []any{"components", c.Of, "patches", lastOf(did.Changed, key)}}
		}
	}
	return append(cluster.JudgePatched(patched), verify.Objects(p, cluster.Spec)...)
}

// lastOf is the last patch that changes an object.
func lastOf(changed [][]string, key string) int {
	for n, keys := range slices.Backward(changed) {
		if slices.Contains(keys, key) {
			return n
		}
	}
	return 0
}
