package helm

import (
	"regexp"
	"strings"
)

// metadataReader reads the name, the namespace and the hook annotations of a
// document, line by line.
type metadataReader struct {
	inside        bool
	inAnnotations bool
	// indent is the column of the keys of metadata; 0 until the first one.
	indent int
}

// enter takes a key at the top of the document, with what follows it on the
// line.
func (m *metadataReader) enter(d *document, key string, rest flat) {
	*m = metadataReader{inside: key == "metadata"}
	if m.inside && strings.HasPrefix(strings.TrimSpace(rest.s), "{") {
		m.flow(d, rest)
	}
}

var (
	metadataKey   = regexp.MustCompile(`^(name|namespace|annotations)\s*:(?:\s+|$)`)
	annotationKey = regexp.MustCompile(`^["']?helm\.sh/(hook|hook-weight|hook-delete-policy)["']?\s*:\s+`)
	flowKey       = regexp.MustCompile(`[{,]\s*["']?(name|namespace|helm\.sh/(?:hook|hook-weight|hook-delete-policy))["']?\s*:\s*("[^"]*"|'[^']*'|[^,}]*)`)
)

// line takes an indented line.
func (m *metadataReader) line(d *document, v flat) {
	if !m.inside {
		return
	}
	indent := len(v.s) - len(strings.TrimLeft(v.s, " "))
	if m.indent == 0 {
		m.indent = indent
	}
	v = v.from(indent)
	if indent == m.indent {
		m.inAnnotations = false
		match := metadataKey.FindStringSubmatch(v.s)
		if match == nil {
			return
		}
		rest := v.from(len(match[0]))
		if match[1] != "annotations" {
			d.note(match[1], rest)
			return
		}
		m.inAnnotations = true
		if strings.HasPrefix(strings.TrimSpace(rest.s), "{") {
			m.flow(d, rest)
		}
		return
	}
	if match := annotationKey.FindStringSubmatch(v.s); m.inAnnotations && match != nil {
		d.note(match[1], v.from(len(match[0])))
	}
}

// flow takes a map in braces.
func (m *metadataReader) flow(d *document, v flat) {
	for _, match := range flowKey.FindAllStringSubmatchIndex(v.s, -1) {
		rest := v.from(match[4])
		rest.s = rest.s[:match[5]-match[4]]
		rest.holes = rest.holes[:strings.Count(rest.s, holeMark)]
		d.note(strings.TrimPrefix(v.s[match[2]:match[3]], "helm.sh/"), rest)
	}
}

// note keeps one variant of a key of the metadata.
func (d *document) note(key string, v flat) {
	switch key {
	case "name":
		d.names = appendNew(d.names, v.pattern())
	case "namespace":
		d.noteNamespace(v)
	case "hook":
		d.hooks = appendNew(d.hooks, listed(v)...)
	case "hook-weight":
		d.weights = appendNew(d.weights, v.pattern())
	case "hook-delete-policy":
		d.deletePolicies = appendNew(d.deletePolicies, listed(v)...)
	}
}

// noteNamespace keeps a namespace unless it is the release's.
func (d *document) noteNamespace(v flat) {
	if len(v.holes) == 1 && v.holes[0].release && v.scalar() == holeMark {
		return
	}
	d.namespacesFrom = appendNew(d.namespacesFrom, v.nodes()...)
	name, fixed := v.fixed()
	switch {
	case fixed:
		d.namespaces = appendNew(d.namespaces, name)
	case len(v.nodes()) < len(v.holes):
		d.namespaces = appendNew(d.namespaces, computed)
	}
}

func listed(v flat) []string {
	var out []string
	for item := range strings.SplitSeq(v.pattern(), ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

// itemsReader reads the items of a List as documents of their own.
type itemsReader struct {
	reader documentReader
	// indent is the column of the dashes; -1 until the first one.
	indent int
	closed bool
}

// take takes a line if it belongs to an item.
func (r *itemsReader) take(v flat) bool {
	if r == nil || r.closed {
		return false
	}
	if _, _, ok := v.topKey(); ok {
		r.closed = true
		return false
	}
	indent := len(v.s) - len(strings.TrimLeft(v.s, " "))
	if strings.HasPrefix(v.s[indent:], "- ") && (r.indent < 0 || indent <= r.indent) {
		r.indent = indent
		r.reader.end()
		r.reader.line([]flat{v.from(indent + len("- "))})
		return true
	}
	if r.indent >= 0 && indent >= r.indent+len("- ") {
		r.reader.line([]flat{v.from(r.indent + len("- "))})
	}
	return true
}

// finish returns the items of the list d. An item may leave out its apiVersion
// and its kind where the kind of the list tells them.
func (r *itemsReader) finish(d *document) []*document {
	if r == nil {
		return nil
	}
	items := r.reader.finish()
	shared := &document{apiVersions: d.apiVersions}
	for _, kind := range d.kinds {
		if kind = strings.TrimSuffix(kind, "List"); kind != "" {
			shared.kinds = append(shared.kinds, kind)
		}
	}
	for _, item := range items {
		item.before = shared
	}
	return items
}
