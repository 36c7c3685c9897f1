package helm

import (
	"regexp"
	"slices"
	"strings"
)

// document is a YAML document that a template can print: what it says at its
// top, in all the variants that its branches allow.
type document struct {
	template    string
	apiVersions []string
	kinds       []string
	// before is the document that this one shares its header with, where it has
	// none of its own: the two are branches of one condition.
	before *document

	names          []string
	namespaces     []string
	namespacesFrom []*node
	hooks          []string
	weights        []string
	deletePolicies []string

	// contents are the values that are printed whole where an object starts.
	contents []*node
	// body is the text of the document, one variant of each line.
	body []string
	// started says that something other than an apiVersion and a kind was seen.
	started bool
	meta    metadataReader
	items   *itemsReader
}

// documentsOf cuts what a template prints into documents.
func documentsOf(template string, printed text) []*document {
	r := &documentReader{template: template}
	for _, line := range printed.lines() {
		r.line(line.flats())
	}
	return r.finish()
}

type documentReader struct {
	template string
	done     []*document
	current  *document
}

func (r *documentReader) document() *document {
	if r.current == nil {
		r.current = &document{template: r.template}
	}
	return r.current
}

// end closes the current document.
func (r *documentReader) end() {
	if d := r.current; d != nil {
		if items := d.items.finish(d); len(items) > 0 {
			r.done = append(r.done, items...)
		} else {
			r.done = append(r.done, d)
		}
	}
	r.current = nil
}

func (r *documentReader) finish() []*document {
	r.end()
	return r.done
}

// line takes the next line, in its variants.
func (r *documentReader) line(variants []flat) {
	if slices.ContainsFunc(variants, flat.separates) {
		r.end()
		for i, v := range variants {
			// Helm, unlike YAML, lets a document start on the line of its separator.
			if v.separates() {
				rest := strings.TrimLeft(v.s[len(separator):], " ")
				variants[i] = v.from(len(v.s) - len(rest))
			}
		}
	}
	headers := map[string][]flat{}
	for _, v := range variants {
		if key, rest, ok := v.topKey(); ok && (key == "apiVersion" || key == "kind") {
			headers[key] = append(headers[key], rest)
		} else {
			r.document().line(v)
		}
	}
	for _, key := range []string{"apiVersion", "kind"} {
		if len(headers[key]) > 0 {
			r.header(key, headers[key])
		}
	}
	if d := r.document(); len(variants) > 0 {
		d.body = append(d.body, variants[0].filled())
	}
}

// header takes an apiVersion or a kind. One that follows on the content of a
// document that has both begins another: the branches of a condition stand one
// after the other here.
func (r *documentReader) header(key string, variants []flat) {
	d := r.document()
	if d.started && len(d.kinds) > 0 && len(d.apiVersions) > 0 {
		r.end()
		r.document().before = d
		d = r.current
	}
	list := &d.apiVersions
	if key == "kind" {
		list = &d.kinds
	}
	fixed := false
	for _, v := range variants {
		if s, ok := v.fixed(); ok {
			*list = appendNew(*list, s)
			fixed = true
		}
	}
	if fixed {
		return
	}
	*list = appendNew(*list, computed)
	if key == "kind" {
		for _, v := range variants {
			d.contents = append(d.contents, v.nodes()...)
		}
	}
}

// computed stands for what a template does not fix.
const computed = "*"

// line takes a line that is neither an apiVersion nor a kind.
func (d *document) line(v flat) {
	trimmed := strings.TrimSpace(v.s)
	if trimmed == "" || strings.HasPrefix(trimmed, "#") {
		return
	}
	if d.items.take(v) {
		return
	}
	if strings.HasPrefix(v.s, " ") {
		d.started = true
		d.meta.line(d, v)
		return
	}
	if strings.Trim(trimmed, holeMark) == "" {
		d.contents = append(d.contents, v.nodes()...)
		return
	}
	key, rest, ok := v.topKey()
	if !ok {
		return
	}
	d.started = true
	d.meta.enter(d, key, rest)
	if key == "items" && slices.ContainsFunc(d.kinds, func(k string) bool { return strings.HasSuffix(k, "List") }) {
		d.items = &itemsReader{reader: documentReader{template: d.template}, indent: -1}
	}
}

const separator = "---"

// separates reports whether a document ends before the line.
func (v flat) separates() bool { return strings.HasPrefix(v.s, separator) }

var topKey = regexp.MustCompile(`^["']?([A-Za-z][\w-]*)["']?\s*:(?:\s+(.*))?$`)

// topKey splits a line of the form key: rest that is not indented.
func (v flat) topKey() (key string, rest flat, ok bool) {
	match := topKey.FindStringSubmatchIndex(v.s)
	if match == nil {
		return "", flat{}, false
	}
	key = v.s[match[2]:match[3]]
	if match[4] >= 0 {
		rest = v.from(match[4])
	}
	return key, rest, true
}

// from returns what is left of a line from a column on.
func (v flat) from(column int) flat {
	before := strings.Count(v.s[:column], holeMark)
	return flat{s: v.s[column:], holes: v.holes[before:]}
}

// scalar returns the line as the value of a key: without comment and quotes.
func (v flat) scalar() string {
	s, _, _ := strings.Cut(v.s, " #")
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	return strings.TrimSpace(s)
}

// fixed returns the value of a key with the defaults in place of the values that
// it is made of, and whether that says it all.
func (v flat) fixed() (string, bool) {
	s := v.scalar()
	for _, h := range v.holes {
		standard, ok := h.standard()
		if !ok {
			return "", false
		}
		s = strings.Replace(s, holeMark, standard, 1)
	}
	return s, s != "" && !strings.Contains(s, holeMark)
}

// standard returns the string that fills a hole by default.
func (h *hole) standard() (string, bool) {
	if h.node == nil || h.element || h.yaml {
		return "", false
	}
	s, ok := h.node.def.(string)
	return s, ok && s != ""
}

// pattern returns the value of a key with a * for each hole.
func (v flat) pattern() string {
	s := strings.ReplaceAll(v.scalar(), holeMark, "*")
	for strings.Contains(s, "**") {
		s = strings.ReplaceAll(s, "**", "*")
	}
	return s
}

// nodes returns the values that fill the holes.
func (v flat) nodes() []*node {
	var out []*node
	for _, h := range v.holes {
		if h.node != nil {
			out = append(out, h.node)
		}
	}
	return out
}

// filled returns the line as YAML of the same shape, empty if it is nothing but
// holes.
func (v flat) filled() string {
	s := v.s
	if strings.Trim(strings.TrimSpace(s), holeMark) == "" {
		return ""
	}
	for _, h := range v.holes {
		standard, ok := h.standard()
		if !ok {
			standard = "x"
		}
		s = strings.Replace(s, holeMark, standard, 1)
	}
	return s
}

func appendNew[T comparable](list []T, items ...T) []T {
	for _, item := range items {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}
