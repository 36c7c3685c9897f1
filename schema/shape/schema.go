// Package shape owns the walk of a spec beside its schema: it finds what has the wrong
// shape, puts something in its place so that rules can run, and fills in defaults.
// It must not read files, or judge what values mean together.
package shape

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
)

// Schema is the schema of a spec, as far as specs were compared with it: each place
// of it is read from CUE once.
type Schema struct {
	engine *knowledge.Engine
	top    *shape
	defs   map[string]ast.Expr
	// paths are those of the schema's fields, by the last name in them.
	paths map[string][]string
	// values are those of closed sets, by their words.
	values map[string][]placed
}

// New makes the schema of the engine's #Spec.
func New(e *knowledge.Engine) *Schema {
	s := &Schema{engine: e}
	s.top = newShape(s, e.Spec, cue.StringLabel)
	s.top.expr = s.definitions()["#Spec"]
	return s
}

// Input says how a spec came about.
type Input struct {
	// Lenient leaves out what may only follow from an expression that was cut out
	// because it does not compile.
	Lenient bool
	// Expressions says that the user's value comes from CUE, not from plain data.
	Expressions bool
	// WithSchema says that the user's value holds gpugen's schema.
	WithSchema bool
}

// Compare walks a user's value beside the schema, gives the spec its name and data,
// repaired, and returns what it found. It must run under a watchdog.
func (s *Schema) Compare(spec *source.Spec, v cue.Value, in Input) diag.List {
	w := &walker{schema: s, spec: spec, Input: in}
	spec.SetValue(v)
	spec.Data = w.fields(nil, fieldsOf(v), s.top)
	w.suggest()
	if in.Expressions {
		w.leftover(v)
	}
	if in.WithSchema {
		w.prune(nil, spec.Data)
	}
	spec.Name, _ = spec.Data["name"].(string)
	return w.found
}

// Complete returns data with the schema's defaults for what the user left out; data
// itself is not changed.
func (s *Schema) Complete(data map[string]any) map[string]any { return s.top.completeStruct(data) }

// Takes tells whether a spec may have a value, which is no struct and no list, at a path.
func (s *Schema) Takes(path []any, value any) bool {
	at := s.top
	for _, label := range path {
		name, ok := label.(string)
		if !ok {
			return false
		}
		if at = at.child(name); at == nil {
			return false
		}
	}
	return at.v.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 && at.v.Unify(s.engine.Ctx.Encode(value)).Validate() == nil
}

// definitions returns the definitions of package spec as syntax.
func (s *Schema) definitions() map[string]ast.Expr {
	if s.defs != nil {
		return s.defs
	}
	s.defs = map[string]ast.Expr{}
	for _, f := range s.engine.Base.Packages[knowledge.SpecPackage].Files {
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok {
				if id, ok := field.Label.(*ast.Ident); ok && strings.HasPrefix(id.Name, "#") {
					s.defs[id.Name] = field.Value
				}
			}
		}
	}
	return s.defs
}

// errorText finds the text of error("...") in the schema's syntax.
func (s *Schema) errorText(x ast.Expr) string {
	switch x := s.resolve(x).(type) {
	case *ast.BinaryExpr:
		if x.Op == token.OR || x.Op == token.AND {
			if t := s.errorText(x.Y); t != "" {
				return t
			}
			return s.errorText(x.X)
		}
	case *ast.ParenExpr:
		return s.errorText(x.X)
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "error" && len(x.Args) == 1 {
			v := s.engine.Ctx.BuildExpr(x.Args[0])
			text, _ := v.String()
			return text
		}
	}
	return ""
}

// structs returns the struct literals that make up a schema expression.
func (s *Schema) structs(x ast.Expr) []*ast.StructLit {
	switch x := s.resolve(x).(type) {
	case *ast.StructLit:
		out := []*ast.StructLit{x}
		for _, d := range x.Elts {
			if embed, ok := d.(*ast.EmbedDecl); ok {
				out = append(out, s.structs(embed.Expr)...)
			}
		}
		return out
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			return append(s.structs(x.X), s.structs(x.Y)...)
		}
	case *ast.ParenExpr:
		return s.structs(x.X)
	}
	return nil
}

// resolve follows names of definitions.
func (s *Schema) resolve(x ast.Expr) ast.Expr {
	for range 10 {
		id, ok := x.(*ast.Ident)
		if !ok {
			return x
		}
		def, ok := s.definitions()[id.Name]
		if !ok {
			return x
		}
		x = def
	}
	return x
}
