package shape

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/syntax"
)

// shape is one place of the schema, read from CUE once and kept: what may be
// written there, what stands in for it, and what this release cannot act on.
type shape struct {
	schema *Schema
	v      cue.Value
	// expr is the schema's own syntax for the value; nil if unknown.
	expr ast.Expr
	kind cue.Kind
	// required fields carry !, optional ones ?; others have a default.
	required, optional bool
	doc                string
	example            ast.Expr
	alias              string
	// names are a map of the facts, and words: the value is one of the names in it, or of these.
	names  []string
	notYet *notYet
	// instead is what does it for now, from @instead("text").
	instead string
	// described says that the field is for what gpugen does not know, from @described():
	// nobody means it who writes its name elsewhere.
	described bool
	// means are other words for values of a closed set, from @means(word=value).
	means map[string]string
	// suggested is what the rest of a spec makes likely, by its name in #Suggested.
	suggested string

	leaf   *leaf
	fields *fieldSet
	elem   *shape
}

// notYet is the attribute @notyet.
type notYet struct {
	// values that are not supported; empty means any but the default.
	values []string
	// present means that being written at all is not supported.
	present bool
	// field and value, from "field=value": the struct is not supported when its
	// field has that value.
	field, value string
}

// fieldSet is what a struct allows.
type fieldSet struct {
	byName map[string]*shape
	order  []string
	// open structs ({...}) hold anything.
	open bool
	// keys is the pattern that other names must match; nil if there is none.
	keys ast.Expr
	// sample is a name that matches keys, from @key("name"); most take any.
	sample string
	// oneOf, from @oneof(names), are fields of which what is under keys has at
	// least one: without, the key is taken for a misspelt name.
	oneOf []string
	// pattern is the shape under keys, made when the first key is seen.
	pattern *shape
}

// leaf is what a scalar allows.
type leaf struct {
	// want says it in the schema's words.
	want string
	// enum holds the values of a closed set.
	enum []string
	// hasDefault, and the default.
	hasDefault bool
	def        cue.Value
}

func newShape(schema *Schema, v cue.Value, t cue.SelectorType) *shape {
	s := &shape{
		schema:   schema,
		v:        v,
		kind:     v.IncompleteKind(),
		required: t.ConstraintType() == cue.RequiredConstraint,
		optional: t.ConstraintType() == cue.OptionalConstraint,
	}
	if f, ok := v.Source().(*ast.Field); ok {
		s.expr = f.Value
	} else if x, ok := v.Source().(ast.Expr); ok {
		s.expr = x
	}
	if docs := v.Doc(); len(docs) > 0 {
		s.doc, _, _ = strings.Cut(strings.TrimSpace(docs[0].Text()), "\n")
	}
	for _, a := range v.Attributes(cue.FieldAttr) {
		s.attribute(a)
	}
	return s
}

func (s *shape) attribute(a cue.Attribute) {
	switch a.Name() {
	case "example":
		if x, err := parser.ParseExpr("example", a.Contents()); err == nil {
			s.example = x
		}
	case "alias":
		s.alias = strings.TrimSpace(a.Contents())
	case "instead":
		s.instead, _ = literal.Unquote(a.Contents())
	case "described":
		s.described = true
	case "means":
		s.means = map[string]string{}
		for i := range a.NumArgs() {
			if word, value, ok := strings.Cut(strings.TrimSpace(a.RawArg(i)), "="); ok {
				s.means[strings.TrimSpace(word)] = strings.TrimSpace(value)
			}
		}
	case "suggested":
		s.suggested = strings.TrimSpace(a.Contents())
	case "names":
		s.names = strings.Split(a.Contents(), ",")
	case "notyet":
		n := &notYet{}
		for i := range a.NumArgs() {
			raw := strings.TrimSpace(a.RawArg(i))
			switch {
			case raw == "":
			case raw == "present":
				n.present = true
			case strings.HasPrefix(raw, `"`):
				text, err := literal.Unquote(raw)
				if err != nil {
					continue
				}
				if field, value, ok := strings.Cut(text, "="); ok {
					n.field, n.value = field, value
				} else {
					n.values = append(n.values, text)
				}
			default:
				n.values = append(n.values, raw)
			}
		}
		s.notYet = n
	}
}

// supported are the values of a closed set without some, as a spec writes them.
func (s *shape) supported(without []string) []string {
	var out []string
	for _, name := range s.scalar().enum {
		if !slices.Contains(without, name) {
			out = append(out, syntax.Quote(name))
		}
	}
	if s.kind == cue.BoolKind {
		out = slices.DeleteFunc([]string{"false", "true"}, func(b string) bool { return slices.Contains(without, b) })
	}
	return out
}

// isStruct and isList say which kind of value the place holds.
func (s *shape) isStruct() bool { return s.kind == cue.StructKind }
func (s *shape) isList() bool   { return s.kind == cue.ListKind }

// set returns what the struct allows.
func (s *shape) set() *fieldSet {
	if s.fields != nil {
		return s.fields
	}
	set := &fieldSet{byName: map[string]*shape{}, sample: "a"}
	s.fields = set
	iter, err := s.v.Fields(cue.All())
	if err != nil {
		return set
	}
	for iter.Next() {
		sel := iter.Selector()
		if sel.LabelType() != cue.StringLabel {
			continue
		}
		name := sel.Unquoted()
		set.byName[name] = newShape(s.schema, iter.Value(), iter.FieldType())
		set.order = append(set.order, name)
	}
	for _, lit := range s.schema.structs(s.expr) {
		for _, d := range lit.Elts {
			switch d := d.(type) {
			case *ast.Ellipsis:
				set.open = true
			case *ast.Field:
				if l, ok := d.Label.(*ast.ListLit); ok && len(l.Elts) == 1 {
					set.keys = l.Elts[0]
					for _, a := range d.Attrs {
						switch name, body := a.Split(); name {
						case "key":
							set.sample, _ = literal.Unquote(body)
						case "oneof":
							set.oneOf = strings.Split(body, ",")
						}
					}
				}
			}
		}
	}
	return set
}

// lacking are the required fields that are not there.
func (set *fieldSet) lacking(present map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(set.order), func(name string) bool { return !set.byName[name].required || present[name] })
}

// child returns the shape under a name, or nil if the name is not allowed.
func (s *shape) child(name string) *shape {
	set := s.set()
	if f := set.byName[name]; f != nil {
		return f
	}
	if set.keys == nil {
		return nil
	}
	if set.pattern != nil && s.v.Allows(cue.Str(name)) {
		return set.pattern
	}
	v := s.v.LookupPath(cue.MakePath(cue.Str(name).Optional()))
	if !v.Exists() {
		return nil
	}
	set.pattern = newShape(s.schema, v, cue.StringLabel)
	return set.pattern
}

// element returns the shape of the list's elements.
func (s *shape) element() *shape {
	if s.elem == nil {
		s.elem = newShape(s.schema, s.v.LookupPath(cue.MakePath(cue.AnyIndex)), cue.IndexLabel)
		if s.elem.expr == nil {
			s.elem.expr = elementExpr(s.expr)
		}
		if s.elem.means == nil {
			s.elem.means = s.means
		}
	}
	return s.elem
}

// scalar returns what the scalar allows.
func (s *shape) scalar() *leaf {
	if s.leaf != nil {
		return s.leaf
	}
	l := &leaf{want: s.schema.errorText(s.expr)}
	s.leaf = l
	if d, ok := s.v.Default(); ok {
		l.hasDefault, l.def = true, d
	}
	if len(s.names) > 0 {
		l.enum = append(s.schema.engine.Base.NamesIn(s.names[0]), s.names[1:]...)
		return l
	}
	if op, args := s.v.Eval().Expr(); op == cue.OrOp {
		for _, a := range args {
			name, err := a.String()
			if err != nil {
				l.enum = nil
				break
			}
			if !slices.Contains(l.enum, name) {
				l.enum = append(l.enum, name)
			}
		}
	}
	return l
}

// elementExpr is the T of [...T].
func elementExpr(x ast.Expr) ast.Expr {
	if l, ok := x.(*ast.ListLit); ok && len(l.Elts) == 1 {
		if e, ok := l.Elts[0].(*ast.Ellipsis); ok {
			return e.Type
		}
	}
	return nil
}

// anyChild returns the shape under a pattern without a user's key.
func (s *shape) anyChild() *shape {
	set := s.set()
	if set.keys == nil {
		return nil
	}
	return s.child(set.sample)
}
