package helm

import (
	"maps"
	"slices"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// value is what an expression of a template may be: any of the things below.
type value struct {
	// nodes are the values paths it may be; elements those of which it may be an
	// element.
	nodes    []*node
	elements []*node
	// serial says that nodes and elements are meant as their YAML or JSON text.
	serial bool
	// units are the charts whose top object ($) it may be.
	units []*unit
	// object is one of the other things in the top object.
	object *object
	// dict and items are those of a dict or list that the template makes itself.
	dict  map[string]value
	items []value
	// text is what it prints, if that is known and not told by the nodes.
	text text
	// literal is the type of a constant.
	literal chartindex.Type
	// tests are the type tests of which it is the answer.
	tests []typeTest
}

type object struct {
	kind string
	unit *unit
}

type typeTest struct {
	node *node
	is   chartindex.Type
}

// maxText bounds how large a text may get.
const maxText = 4000

// maxNesting bounds how deep dicts and lists are followed: one that a template
// puts into itself would have no end.
const maxNesting = 5

// maxItems bounds the items of a list that grows in a loop; beyond it, they are
// taken as one item that may be any of them.
const maxItems = 32

// union returns what is either of the values.
func union(values ...value) value { return unionWithin(maxNesting, values) }

func unionWithin(depth int, values []value) value {
	var out value
	texts := []text{}
	for _, v := range values {
		for _, n := range v.nodes {
			if !slices.Contains(out.nodes, n) {
				out.nodes = append(out.nodes, n)
			}
		}
		for _, n := range v.elements {
			if !slices.Contains(out.elements, n) {
				out.elements = append(out.elements, n)
			}
		}
		for _, u := range v.units {
			if !slices.Contains(out.units, u) {
				out.units = append(out.units, u)
			}
		}
		out.serial = out.serial || v.serial
		if v.object != nil {
			out.object = v.object
		}
		if depth == 0 {
			v.dict, v.items = nil, nil
		}
		if v.dict != nil && out.dict == nil {
			out.dict = map[string]value{}
		}
		for key, item := range v.dict {
			if before, ok := out.dict[key]; ok {
				item = unionWithin(depth-1, []value{before, item})
			}
			out.dict[key] = item
		}
		out.items = append(out.items, v.items...)
		if len(out.items) > maxItems {
			out.items = []value{unionWithin(depth-1, out.items)}
		}
		out.tests = append(out.tests, v.tests...)
		if t := v.print(); t != nil {
			texts = append(texts, t)
		}
	}
	if len(texts) > 0 {
		out.text = oneOf(texts...)
		if out.text.size() > maxText {
			out.text = unknownText()
		}
	}
	return out
}

// print returns what the value prints.
func (v value) print() text {
	if v.text != nil {
		return v.text
	}
	var options []text
	for _, n := range v.nodes {
		options = append(options, text{{hole: &hole{node: n, yaml: v.serial}}})
	}
	for _, n := range v.elements {
		options = append(options, text{{hole: &hole{node: n, element: true, yaml: v.serial}}})
	}
	if len(options) == 0 {
		return unknownText()
	}
	return oneOf(options...)
}

// inside returns the nodes of the value and of the dicts and lists in it, and
// those that it is an element of.
func (v value) inside() (nodes, elements []*node) { return v.insideWithin(maxNesting) }

func (v value) insideWithin(depth int) (nodes, elements []*node) {
	if depth == 0 {
		return nil, nil
	}
	nodes, elements = slices.Clone(v.nodes), slices.Clone(v.elements)
	parts := slices.Clone(v.items)
	for _, key := range slices.Sorted(maps.Keys(v.dict)) {
		parts = append(parts, v.dict[key])
	}
	for _, part := range parts {
		n, e := part.insideWithin(depth - 1)
		nodes, elements = appendNew(nodes, n...), appendNew(elements, e...)
	}
	return nodes, elements
}

func constant(s string) value {
	return value{text: literal(s), literal: chartindex.TypeString}
}
