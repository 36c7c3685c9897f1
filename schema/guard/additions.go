package guard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"github.com/gpugen/gpugen/schema/syntax"
)

// additions are the fields that templates add to a struct of the input, or may add to. A
// field of the input that is no struct stays as it is: nothing unifies with it but itself.
type additions struct {
	// fields by name.
	fields map[string]*additions
	// each is added to each field that there is.
	each *additions
	// any says that it may be anything.
	any bool
}

// additionsOf are those of spec: input & {...} in package templates.
func additionsOf(files []*ast.File) *additions {
	var found []*additions
	for _, f := range files {
		for _, decl := range f.Decls {
			field, ok := decl.(*ast.Field)
			if !ok || syntax.LabelOf(field) != "spec" {
				continue
			}
			and, ok := field.Value.(*ast.BinaryExpr)
			if !ok {
				return &additions{any: true}
			}
			if x, ok := and.X.(*ast.Ident); !ok || x.Name != "input" {
				return &additions{any: true}
			}
			found = append(found, addedBy(and.Y, "input"))
		}
	}
	if len(found) != 1 {
		return &additions{any: true}
	}
	return found[0]
}

// addedBy is what unifying a field of the input, which a path leads to, with an expression adds to it.
func addedBy(x ast.Expr, path string) *additions {
	lit, ok := x.(*ast.StructLit)
	if !ok {
		return &additions{any: true}
	}
	out := &additions{fields: map[string]*additions{}}
	out.add(lit.Elts, path)
	return out
}

func (a *additions) add(decls []ast.Decl, path string) {
	for _, decl := range decls {
		switch decl := decl.(type) {
		case *ast.LetClause, *ast.Ellipsis:
		case *ast.Field:
			if list, ok := decl.Label.(*ast.ListLit); ok && len(list.Elts) == 1 {
				// A pattern constrains what there is.
				continue
			}
			name, ok := syntax.FieldName(decl.Label)
			if !ok || a.fields[name] != nil {
				a.any = true
				return
			}
			a.fields[name] = addedBy(decl.Value, path+"."+name)
		case *ast.Comprehension:
			a.comprehension(decl, path)
		default:
			a.any = true
		}
	}
}

func (a *additions) comprehension(c *ast.Comprehension, path string) {
	lit, ok := c.Value.(*ast.StructLit)
	if !ok {
		a.any = true
		return
	}
	conditions := 0
	for _, clause := range c.Clauses {
		if _, ok := clause.(*ast.IfClause); ok {
			conditions++
		}
	}
	if conditions == len(c.Clauses) {
		a.add(lit.Elts, path)
		return
	}
	// for key, ... in PATH {(key): {...}}
	loop, ok := c.Clauses[0].(*ast.ForClause)
	if !ok || len(c.Clauses) != 1 || loop.Key == nil || dotted(loop.Source) != path || a.each != nil {
		a.any = true
		return
	}
	for _, decl := range lit.Elts {
		switch decl := decl.(type) {
		case *ast.LetClause:
			continue
		case *ast.Field:
			label, ok := decl.Label.(*ast.ParenExpr)
			if ok && a.each == nil && dotted(label.X) == loop.Key.Name {
				a.each = addedBy(decl.Value, path+".*")
				continue
			}
		}
		a.any = true
	}
}

// dotted is an expression a.b.c as text, or "".
func dotted(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		if name, ok := syntax.FieldName(x.Sel); ok && dotted(x.X) != "" {
			return dotted(x.X) + "." + name
		}
	}
	return ""
}

// of is what is added to a field.
func (a *additions) of(name string) *additions {
	switch {
	case a == nil:
		return nil
	case a.any:
		return a
	case a.fields[name] != nil && a.each != nil:
		return &additions{any: true}
	case a.fields[name] != nil:
		return a.fields[name]
	}
	return a.each
}

// mayAdd tells whether a field that the input has not may be there.
func (a *additions) mayAdd(name string) bool {
	return a != nil && (a.any || a.fields[name] != nil)
}

// keeps tells whether no field is added to those that there are.
func (a *additions) keeps() bool { return a == nil || !a.any && len(a.fields) == 0 }

func writeAdditions(to *strings.Builder, a *additions) {
	to.WriteString("{")
	if a != nil {
		if a.any {
			to.WriteString("any: {}, ")
		}
		if a.each != nil {
			to.WriteString("each: ")
			writeAdditions(to, a.each)
			to.WriteString(", ")
		}
		to.WriteString("fields: {")
		for _, name := range slices.Sorted(maps.Keys(a.fields)) {
			fmt.Fprintf(to, "%s: ", syntax.Quote(name))
			writeAdditions(to, a.fields[name])
			to.WriteString(", ")
		}
		to.WriteString("}")
	}
	to.WriteString("}")
}

func readAdditions(lit *ast.StructLit) *additions {
	out := &additions{fields: map[string]*additions{}}
	for _, elt := range lit.Elts {
		field := elt.(*ast.Field)
		inner := field.Value.(*ast.StructLit)
		switch syntax.LabelOf(field) {
		case "any":
			out.any = true
		case "each":
			out.each = readAdditions(inner)
		case "fields":
			for _, elt := range inner.Elts {
				named := elt.(*ast.Field)
				out.fields[syntax.LabelOf(named)] = readAdditions(named.Value.(*ast.StructLit))
			}
		}
	}
	return out
}
