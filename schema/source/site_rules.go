package source

import (
	"cuelang.org/go/cue/ast"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/syntax"
)

// RulesField is the top-level field that holds a site's own rules.
const RulesField = "rules"

// SiteRules are rules that a user's CUE files bring. They are kept apart from
// the spec, so that a rule that never ends or does not compile harms no other.
type SiteRules struct {
	of *Package
	// labels say where the field rules, and each rule, is written.
	labels *labelTree
}

// Package is the user's whole package, rules included. Like whatever evaluates
// it, its evaluation may not end.
func (r *SiteRules) Package() *Package {
	p := newPackage(&reader{files: r.of.files.again(), own: r.of.own}, r.of.dir, r.of.names, r.of.over)
	p.spec, p.whole = r.of.spec, true
	return p
}

// Position returns where the rule of this ID is written; for "" or an ID that is
// not written as a label, where the rules begin.
func (r *SiteRules) Position(id string) diag.Position {
	if x := r.labels.fields[id]; x != nil && len(x.labels) > 0 {
		return x.labels[0].Position()
	}
	return r.labels.labels[0].Position()
}

// cutRules removes the site's rules from a file, with the imports that only they
// use, and records where they are.
func (p *Package) cutRules(src *File, f *ast.File) {
	var whole labelTree
	whole.addCUE(src, f.Decls, nil)
	rules := whole.fields[RulesField]
	if rules == nil {
		return
	}
	if p.rules == nil {
		p.rules = &labelTree{}
	}
	p.rules.merge(rules)
	before := syntax.Identifiers(f.Decls)
	removeField(f, RulesField)
	syntax.DropUnusedImports(f, before)
}
