package helm

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// pipe evaluates a pipeline and sets the variables that it declares or assigns.
func (s *scanner) pipe(p *parse.PipeNode, f *frame) value {
	var v value
	if p == nil {
		return v
	}
	for i, command := range p.Cmds {
		var last []value
		if i > 0 {
			last = []value{v}
		}
		v = s.command(command, f, last)
	}
	for _, name := range p.Decl {
		if p.IsAssign {
			f.vars.assign(name.Ident[0], v)
		} else {
			f.vars.vars[name.Ident[0]] = v
		}
	}
	return v
}

// command evaluates one step of a pipeline; last holds the result of the step
// before it, if there is one.
func (s *scanner) command(c *parse.CommandNode, f *frame, last []value) value {
	args := func() []value {
		var out []value
		for _, arg := range c.Args[1:] {
			out = append(out, s.operand(arg, f))
		}
		return append(out, last...)
	}
	switch first := c.Args[0].(type) {
	case *parse.IdentifierNode:
		return s.call(first.Ident, args(), f)
	case *parse.FieldNode:
		return s.fields(f.dot, first.Ident, args())
	case *parse.VariableNode:
		return s.fields(variable(first, f), first.Ident[1:], args())
	case *parse.ChainNode:
		return s.fields(s.operand(first.Node, f), first.Field, args())
	default:
		return s.operand(first, f)
	}
}

func variable(n *parse.VariableNode, f *frame) value {
	v, _ := f.vars.get(n.Ident[0])
	return v
}

// operand evaluates a word of a command.
func (s *scanner) operand(n parse.Node, f *frame) value {
	switch n := n.(type) {
	case *parse.DotNode:
		return f.dot
	case *parse.FieldNode:
		return s.fields(f.dot, n.Ident, nil)
	case *parse.VariableNode:
		return s.fields(variable(n, f), n.Ident[1:], nil)
	case *parse.ChainNode:
		return s.fields(s.operand(n.Node, f), n.Field, nil)
	case *parse.PipeNode:
		return s.pipe(n, f)
	case *parse.IdentifierNode:
		return s.call(n.Ident, nil, f)
	case *parse.StringNode:
		return constant(n.Text)
	case *parse.BoolNode:
		return value{text: literal(strconv.FormatBool(n.True)), literal: chartindex.TypeBoolean}
	case *parse.NumberNode:
		number := value{text: literal(n.Text), literal: chartindex.TypeNumber}
		if n.IsInt {
			number.literal = chartindex.TypeInteger
		}
		return number
	}
	return value{}
}

// fields follows a chain of names from a value; the last may be a method with
// arguments.
func (s *scanner) fields(v value, names []string, args []value) value {
	for i, name := range names {
		if i < len(names)-1 {
			v = s.field(v, name, nil)
		} else {
			v = s.field(v, name, args)
		}
	}
	return v
}

// field returns what .name of a value is.
func (s *scanner) field(v value, name string, args []value) value {
	var options []value
	for _, u := range v.units {
		options = append(options, topField(u, name))
	}
	if v.object != nil {
		options = append(options, v.object.field(name, args))
	}
	if item, ok := v.dict[name]; ok {
		options = append(options, item)
	}
	if children := s.child(v.nodes, name); len(children.nodes) > 0 {
		options = append(options, children)
	}
	switch len(options) {
	case 0:
		for _, arg := range args {
			s.escape(arg)
		}
		return value{elements: v.elements}
	case 1:
		return options[0]
	}
	return union(options...)
}

// valuesMethods are the methods of Helm's values type that give the values
// themselves.
var valuesMethods = []string{"AsMap"}

// child returns what lies under a key of the values that v may be. Below an
// array nothing has a path.
func (s *scanner) child(nodes []*node, key string) value {
	var out value
	for _, n := range nodes {
		if n.defaultType() == chartindex.TypeArray {
			continue
		}
		if slices.Contains(valuesMethods, key) && n.children[key] == nil {
			out.nodes = append(out.nodes, n)
			continue
		}
		for at := n; at != nil; at = at.parent {
			child := at.make(key)
			child.read = true
			out.nodes = append(out.nodes, child)
			if key != globalKey || !n.isChart {
				break
			}
		}
	}
	return out
}

// globalKey is the key under which a chart also sees what the charts above it
// have there.
const globalKey = "global"

// topField returns a field of a chart's top object.
func topField(u *unit, name string) value {
	switch name {
	case "Values":
		return value{nodes: []*node{u.values}}
	case "Chart", "Release", "Files", "Template", "Capabilities":
		return value{object: &object{kind: name, unit: u}}
	case "Subcharts":
		subs := map[string]value{}
		for _, sub := range u.subs {
			subs[sub.name] = value{units: []*unit{sub}}
		}
		return value{dict: subs}
	}
	return value{}
}

// field returns a field of one of the objects beside the values, or what one of
// its methods returns.
func (o *object) field(name string, args []value) value {
	meta := o.unit.chart.Metadata
	switch o.kind + "." + name {
	case "Release.Namespace":
		return value{text: text{{hole: &hole{release: true}}}}
	case "Chart.Name":
		return constant(o.unit.name)
	case "Chart.Version":
		return constant(meta.Version)
	case "Chart.AppVersion":
		return constant(meta.AppVersion)
	case "Template.BasePath":
		return constant(path.Join(o.unit.path(), "templates"))
	case "Files.Get":
		return o.get(args)
	case "Files.Glob":
		return o.glob(args)
	}
	return value{}
}

// get returns the content of files of the chart.
func (o *object) get(args []value) value {
	if len(args) == 0 {
		return value{}
	}
	names, _ := args[0].print().constants()
	var contents []value
	for _, file := range o.unit.chart.Files {
		if slices.Contains(names, file.Name) {
			contents = append(contents, value{text: literal(string(file.Data))})
		}
	}
	return union(contents...)
}

// glob returns the files of the chart that match a pattern, as a dict of their
// contents.
func (o *object) glob(args []value) value {
	if len(args) == 0 {
		return value{}
	}
	patterns, _ := args[0].print().constants()
	files := map[string]value{}
	for _, file := range o.unit.chart.Files {
		for _, pattern := range patterns {
			if matches(pattern, file.Name) {
				files[file.Name] = value{text: literal(string(file.Data))}
			}
		}
	}
	return value{dict: files}
}

// matches reports whether a name matches a pattern of .Files.Glob. A ** that
// spans folders is taken to match everything after what stands before it.
func matches(pattern, name string) bool {
	if before, _, spans := strings.Cut(pattern, "**"); spans {
		return strings.HasPrefix(name, before)
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
