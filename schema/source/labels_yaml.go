package source

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema/diag"
)

// duplicate is a key written twice in one YAML mapping.
type duplicate struct {
	path        []any
	first, next diag.Position
}

// addYAML records what a YAML document writes, and returns its duplicate keys,
// which YAML forbids but CUE would unify.
func (x *labelTree) addYAML(src *File, doc *yaml.Node) []duplicate {
	b := &yamlIndexer{src: src, seen: map[*yaml.Node]*labelTree{}}
	b.node(x, nil, doc)
	return b.duplicates
}

type yamlIndexer struct {
	src        *File
	duplicates []duplicate
	// seen keeps aliases of one anchor from being expanded more than once.
	seen map[*yaml.Node]*labelTree
}

func (b *yamlIndexer) node(x *labelTree, path []any, n *yaml.Node) {
	switch n.Kind {
	case yaml.DocumentNode:
		for _, c := range n.Content {
			b.node(x, path, c)
		}
	case yaml.AliasNode:
		if done := b.seen[n.Alias]; done != nil {
			x.fields, x.items = done.fields, done.items
			return
		}
		b.node(x, path, n.Alias)
	case yaml.MappingNode:
		b.seen[n] = x
		b.mapping(x, path, n)
	case yaml.SequenceNode:
		b.seen[n] = x
		for i, c := range n.Content {
			entry := x.item(i)
			entry.labels = append(entry.labels, b.label(c, c))
			b.node(entry, Join(path, i), c)
		}
	}
}

func (b *yamlIndexer) mapping(x *labelTree, path []any, n *yaml.Node) {
	first := map[string]*yaml.Node{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			merges = append(merges, value)
			continue
		}
		name := keyName(key)
		if before := first[name]; before != nil {
			b.duplicates = append(b.duplicates, duplicate{
				path:  Join(path, name),
				first: b.label(before, before).Position(),
				next:  b.label(key, key).Position(),
			})
		} else {
			first[name] = key
		}
		entry := x.field(name)
		entry.labels = append(entry.labels, b.label(key, value))
		b.node(entry, Join(path, name), value)
	}
	for _, m := range merges {
		b.merge(x, path, m)
	}
}

// keyName is the name of a key, which CUE's reader makes of it.
func keyName(key *yaml.Node) string {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	switch key.ShortTag() {
	case "!!null":
		return "null"
	case "!!bool":
		return strings.ToLower(key.Value)
	}
	return key.Value
}

// merge takes over the fields of a merged mapping that are not written anew.
func (b *yamlIndexer) merge(x *labelTree, path []any, n *yaml.Node) {
	switch n.Kind {
	case yaml.AliasNode:
		b.merge(x, path, n.Alias)
	case yaml.SequenceNode:
		for _, c := range n.Content {
			b.merge(x, path, c)
		}
	case yaml.MappingNode:
		merged := &labelTree{}
		known := len(b.duplicates)
		b.mapping(merged, path, n)
		// The anchor's own place has reported them.
		b.duplicates = b.duplicates[:known]
		for name, entry := range merged.fields {
			if x.fields[name] == nil {
				if x.fields == nil {
					x.fields = map[string]*labelTree{}
				}
				x.fields[name] = entry
			}
		}
	}
}

func (b *yamlIndexer) label(label, value *yaml.Node) Label {
	start := b.src.offset(label.Line, label.Column)
	p := Label{file: b.src, start: start, end: b.end(label, start)}
	if value.Kind == yaml.ScalarNode && value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		p.valueStart = b.src.offset(value.Line, value.Column)
		p.valueEnd = b.end(value, p.valueStart)
	}
	return p
}

// end finds where a scalar that starts at offset start ends; YAML nodes do not
// say.
func (b *yamlIndexer) end(n *yaml.Node, start int) int {
	data := b.src.Data
	if n.Kind != yaml.ScalarNode || start >= len(data) {
		return min(start+1, len(data))
	}
	switch {
	case data[start] == '"':
		for i := start + 1; i < len(data); i++ {
			if data[i] == '\\' {
				i++
			} else if data[i] == '"' {
				return i + 1
			}
		}
		return len(data)
	case data[start] == '\'':
		for i := start + 1; i < len(data); i++ {
			if data[i] != '\'' {
				continue
			}
			if i+1 < len(data) && data[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
		return len(data)
	}
	return min(start+len(n.Value), len(data))
}
