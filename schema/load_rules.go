package schema

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"

	"github.com/gpugen/gpugen/schema/diag"
)

// rulesField is the top-level field that holds a site's own rules.
const rulesField = "rules"

// SiteRules are rules that a user's CUE files bring. They are kept apart from
// the spec, so that a rule that never ends or does not compile harms no other.
type SiteRules struct {
	load *cueLoad
	// index says where the field rules, and each rule, is written.
	index *index
}

// Build builds the user's whole package, rules included, in the engine's context
// and returns its field rules. The value does not exist where findings are
// returned. It must run, as whatever evaluates the value, under guard.
func (r *SiteRules) Build(e *engine) (cue.Value, diag.List) {
	inner := *r.load.loader
	inner.engine, inner.found = e, nil
	inner.sources = r.load.sources.again()
	c := newCUELoad(&inner, r.load.dir, r.load.files, r.load.over)
	c.spec, c.whole = r.load.spec, true
	inst := c.instance()
	if c.found.HasErrors() {
		return cue.Value{}, c.found
	}
	v := e.ctx.BuildInstance(inst)
	if inst.Err != nil {
		for _, err := range errors.Errors(inst.Err) {
			c.report(c.compileError(err))
		}
		return cue.Value{}, c.found
	}
	return v.LookupPath(cue.ParsePath(rulesField)), nil
}

// Position returns where the rule of this ID is written; for "" or an ID that is
// not written as a label, where the rules begin.
func (r *SiteRules) Position(id string) diag.Position {
	if x := r.index.fields[id]; x != nil && len(x.places) > 0 {
		return x.places[0].position()
	}
	return r.index.places[0].position()
}

// cutRules removes the site's rules from a file, with the imports that only they
// use, and records where they are.
func (c *cueLoad) cutRules(src *source, f *ast.File) {
	var whole index
	whole.addCUE(src, f.Decls, nil)
	rules := whole.fields[rulesField]
	if rules == nil {
		return
	}
	if c.rules == nil {
		c.rules = &index{}
	}
	c.rules.merge(rules)
	before := identifiers(f)
	removeField(f, rulesField)
	dropImports(f, before)
}
