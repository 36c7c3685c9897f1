package source

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

const (
	// mostDepth is how deep a spec may be nested; real ones stay below 20.
	mostDepth = 200
	// mostAliased is how many nodes the aliases of a document may stand for.
	mostAliased = 100_000
)

// AliasFault finds what would be read without end, or grow without bounds, once
// aliases and merges are replaced by what they stand for: an anchor that holds
// itself, too deep a nesting, too many nodes. The node is where it shows; "" is
// no fault.
func AliasFault(doc *yaml.Node) (*yaml.Node, string) {
	b := &aliasBounds{sizes: map[*yaml.Node]int{}, open: map[*yaml.Node]bool{}}
	b.size(doc, 0)
	return b.at, b.fault
}

type aliasBounds struct {
	// sizes of the nodes that anchors name, once they are known.
	sizes map[*yaml.Node]int
	// open are the anchored nodes around the one at hand.
	open map[*yaml.Node]bool
	// aliased counts the nodes that aliases stand for.
	aliased int

	at    *yaml.Node
	fault string
}

func (b *aliasBounds) report(at *yaml.Node, format string, args ...any) int {
	if b.fault == "" {
		b.at, b.fault = at, fmt.Sprintf(format, args...)
	}
	return 0
}

// size counts the nodes of a tree with its aliases replaced.
func (b *aliasBounds) size(n *yaml.Node, depth int) int {
	switch {
	case b.fault != "":
		return 0
	case depth > mostDepth:
		return b.report(n, "it is nested more than %d deep", mostDepth)
	case n.Kind == yaml.AliasNode:
		if b.open[n.Alias] {
			return b.report(n, "the anchor &%s holds itself", n.Value)
		}
		size, known := b.sizes[n.Alias]
		if !known {
			size = b.size(n.Alias, depth)
		}
		if b.aliased += size; b.aliased > mostAliased {
			return b.report(n, "its aliases stand for more than %d values", mostAliased)
		}
		return size
	}
	if n.Anchor != "" {
		b.open[n] = true
		defer delete(b.open, n)
	}
	size := 1
	for _, c := range n.Content {
		size += b.size(c, depth+1)
	}
	if n.Anchor != "" {
		b.sizes[n] = size
	}
	return size
}
