package helm

import (
	"maps"
	"slices"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// node is one path of the values: its default, and what templates do with it.
type node struct {
	parent   *node
	key      string
	children map[string]*node
	// isChart says that the values of a chart start here.
	isChart bool

	// origin is empty unless a values.yaml has the path; then def is its value.
	origin chartindex.Origin
	def    any

	read     bool // a template reads it
	switches bool // Helm reads it, mostly to turn a sub-chart on or off
	dumped   bool // its whole content is rendered
	// serialized: its whole content is turned into text, to be rendered or not.
	serialized bool
	ranged     bool // a template goes through its elements
	unread     bool // none of these, for it and all below it
	// required: a template or the chart's schema asks for it.
	required bool
	hints    []chartindex.Type
	accepts  []chartindex.Type
	// unguarded: it is rendered without a test of its type.
	unguarded bool
}

// lay puts default values below the node. Paths that have a default keep it.
func (n *node) lay(table map[string]any, origin chartindex.Origin) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		child, value := n.make(key), table[key]
		sub, isTable := value.(map[string]any)
		if child.origin == "" {
			child.origin = origin
			child.def = value
		}
		if _, keptTable := child.def.(map[string]any); isTable && (keptTable || child.def == nil) {
			child.lay(sub, origin)
		}
	}
}

// make returns the child with this key, and makes it if needed.
func (n *node) make(key string) *node {
	child := n.children[key]
	if child == nil {
		child = &node{parent: n, key: key}
		if n.children == nil {
			n.children = map[string]*node{}
		}
		n.children[key] = child
	}
	return child
}

func (n *node) makeAll(keys []string) *node {
	for _, key := range keys {
		n = n.make(key)
	}
	return n
}

func (n *node) at(keys []string) *node {
	for _, key := range keys {
		if n = n.children[key]; n == nil {
			return nil
		}
	}
	return n
}

func (n *node) path() chartindex.Path {
	if n.parent == nil {
		return nil
	}
	return append(n.parent.path(), n.key)
}

func (n *node) sorted() []*node {
	out := make([]*node, 0, len(n.children))
	for _, key := range slices.Sorted(maps.Keys(n.children)) {
		out = append(out, n.children[key])
	}
	return out
}

// plain returns the default, with what sub-charts add to it.
func (n *node) plain() any {
	if _, isTable := n.def.(map[string]any); !isTable && n.def != nil {
		return n.def
	}
	table := map[string]any{}
	for key, child := range n.children {
		if child.origin != "" {
			table[key] = child.plain()
		}
	}
	if n.def == nil && len(table) == 0 {
		return nil
	}
	return table
}

// defaultType is TypeUnknown for a default of null and where there is none.
func (n *node) defaultType() chartindex.Type { return chartindex.TypeOf(n.def) }

func (n *node) isMap() bool {
	return n.defaultType() == chartindex.TypeObject || n.def == nil && len(n.children) > 0
}

// hint notes that a template treats the value as one of this type.
func (n *node) hint(t chartindex.Type) {
	if !slices.Contains(n.hints, t) {
		n.hints = append(n.hints, t)
	}
}

func (n *node) accept(t chartindex.Type) {
	if !slices.Contains(n.accepts, t) {
		n.accepts = append(n.accepts, t)
	}
}

// count returns the number of nodes at and below n.
func (n *node) count() int {
	total := 1
	for _, child := range n.children {
		total += child.count()
	}
	return total
}
