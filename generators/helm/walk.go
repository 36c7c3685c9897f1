package helm

import (
	"text/template/parse"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// frame is where a walk stands: the dot, the variables and the file.
type frame struct {
	dot  value
	vars *scope
	file templateFile
}

// scope holds the variables of a block.
type scope struct {
	vars   map[string]value
	parent *scope
}

func newScope(parent *scope, top value) *scope {
	s := &scope{vars: map[string]value{}, parent: parent}
	if parent == nil {
		s.vars["$"] = top
	}
	return s
}

func (s *scope) get(name string) (value, bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	return value{}, false
}

// assign adds to what a variable may be: which branch was taken is not known.
func (s *scope) assign(name string, v value) {
	for at := s; at != nil; at = at.parent {
		if before, ok := at.vars[name]; ok {
			at.vars[name] = union(before, v)
			return
		}
	}
}

func (f *frame) inner() *frame {
	return &frame{dot: f.dot, vars: newScope(f.vars, value{}), file: f.file}
}

func (f *frame) with(dot value) *frame {
	g := f.inner()
	g.dot = dot
	return g
}

// walk goes through a block, all its branches, and returns what it prints.
func (s *scanner) walk(list *parse.ListNode, f *frame) text {
	var out text
	if list == nil {
		return out
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			out = append(out, part{lit: string(n.Text)})
		case *parse.ActionNode:
			out = append(out, s.action(n, f)...)
		case *parse.IfNode:
			out = append(out, s.branch(&n.BranchNode, f)...)
		case *parse.WithNode:
			out = append(out, s.with(n, f)...)
		case *parse.RangeNode:
			out = append(out, s.loop(n, f)...)
		case *parse.TemplateNode:
			arg := value{}
			if n.Pipe != nil {
				arg = s.pipe(n.Pipe, f)
			}
			out = append(out, s.emit(s.include(n.Name, arg, f))...)
		}
	}
	return out
}

func (s *scanner) action(n *parse.ActionNode, f *frame) text {
	v := s.pipe(n.Pipe, f)
	if len(n.Pipe.Decl) > 0 {
		return nil
	}
	return s.emit(v)
}

// emit notes that a value is printed, and returns the text.
func (s *scanner) emit(v value) text {
	s.use(v)
	return v.print()
}

// use notes that the content of a value gets into the output.
func (s *scanner) use(v value) {
	for _, n := range v.nodes {
		if v.serial || n.isMap() || n.defaultType() == chartindex.TypeArray {
			n.dumped = true
		}
		if s.guards[n] == 0 {
			n.unguarded = true
		}
	}
}

// escape notes that a value goes where the walk does not follow, with all that
// is in it.
func (s *scanner) escape(v value) {
	s.use(v)
	nodes, _ := v.inside()
	for _, n := range nodes {
		s.use(value{nodes: []*node{n}})
	}
}

func (s *scanner) branch(n *parse.BranchNode, f *frame) text {
	g := f.inner()
	condition := s.pipe(n.Pipe, g)
	for _, test := range condition.tests {
		if n.ElseList == nil {
			test.node.accept(test.is)
		} else {
			// The other branch is for all other types.
			test.node.unguarded = true
		}
		s.guards[test.node]++
	}
	yes := s.walk(n.List, g.inner())
	for _, test := range condition.tests {
		s.guards[test.node]--
	}
	no := s.walk(n.ElseList, g.inner())
	return text{{choice: []text{yes, no}}}
}

func (s *scanner) with(n *parse.WithNode, f *frame) text {
	g := f.inner()
	dot := s.pipe(n.Pipe, g)
	yes := s.walk(n.List, g.with(dot))
	no := s.walk(n.ElseList, g.inner())
	return text{{choice: []text{yes, no}}}
}

// loop walks the body of a range. It does so twice, so that what the first round
// assigns is seen; only the second one counts as output.
func (s *scanner) loop(n *parse.RangeNode, f *frame) text {
	g := f.inner()
	over := s.pipe(n.Pipe, g)
	key, element := s.elements(over)
	var yes text
	for range 2 {
		round := g.with(element)
		switch len(n.Pipe.Decl) {
		case 1:
			round.vars.vars[n.Pipe.Decl[0].Ident[0]] = element
		case 2:
			round.vars.vars[n.Pipe.Decl[0].Ident[0]] = key
			round.vars.vars[n.Pipe.Decl[1].Ident[0]] = element
		}
		yes = s.walk(n.List, round)
	}
	no := s.walk(n.ElseList, g.inner())
	return text{{choice: []text{yes, no}}}
}
