package schema

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/token"
)

// rulePackage is the shape of a rule, which site rules import.
const rulePackage = Module + "/schema/rule"

// knowledge is what an engine keeps about the schema between specs.
type knowledge struct {
	// instances are the packages of the knowledge base, by import path; what a
	// user imports is taken from here, so that it is compiled once.
	instances map[string]*build.Instance
	// explanations of the rules, by ID.
	explanations map[string]explanation
	defs         map[string]ast.Expr
	specShape    *shape
	places       map[string][]string
	// limits of user evaluation; tests make them small.
	limits Limits
}

// newSpecEngine compiles only the spec and its facts: enough to load, not to
// resolve or check.
func newSpecEngine() (*engine, error) {
	l := newEmbedded()
	ctx := cuecontext.New()
	e := &engine{ctx: ctx, knowledge: knowledge{instances: l.instances}}
	for _, part := range []struct {
		pkg  string
		into *cue.Value
	}{{factsPackage, &e.facts}, {specPackage, &e.spec}} {
		v := ctx.BuildInstance(l.load(token.NoPos, part.pkg))
		if err := v.Err(); err != nil {
			return nil, fmt.Errorf("knowledge base %s: %w", part.pkg, err)
		}
		*part.into = v
	}
	e.spec = e.spec.LookupPath(cue.ParsePath("#Spec"))
	l.load(token.NoPos, rulePackage)
	return e, nil
}

// shape returns the shape of a whole spec.
func (e *engine) shape() *shape {
	if e.specShape == nil {
		e.specShape = newShape(e, e.spec, cue.StringLabel)
		e.specShape.expr = e.definitions()["#Spec"]
	}
	return e.specShape
}

// definitions returns the definitions of package spec as syntax.
func (e *engine) definitions() map[string]ast.Expr {
	if e.defs != nil {
		return e.defs
	}
	e.defs = map[string]ast.Expr{}
	for _, f := range e.instances[specPackage].Files {
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok {
				if id, ok := field.Label.(*ast.Ident); ok && strings.HasPrefix(id.Name, "#") {
					e.defs[id.Name] = field.Value
				}
			}
		}
	}
	return e.defs
}
