package load

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
)

// SiteRules builds the user's whole package, rules included, in the engine's context
// and returns its field rules. The value does not exist where findings are
// returned. It must run, as whatever evaluates the value, under a watchdog.
func SiteRules(e *knowledge.Engine, r *source.SiteRules) (cue.Value, diag.List) {
	p := r.Package()
	inst, found := p.Instance()
	if found.HasErrors() {
		return cue.Value{}, found
	}
	v := e.Ctx.BuildInstance(inst)
	if inst.Err != nil {
		for _, err := range errors.Errors(inst.Err) {
			found.Add(compileError(p.Files(), err))
		}
		return cue.Value{}, found
	}
	return v.LookupPath(cue.ParsePath(source.RulesField)), nil
}
