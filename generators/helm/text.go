package helm

import (
	"strings"

	"sigs.k8s.io/yaml"
)

// text is what a piece of template prints, as far as that can be told: literal
// text, holes, and places where one of several texts stands.
type text []part

// part is one of: a literal, a hole, a choice, an indented text.
type part struct {
	lit    string
	hole   *hole
	choice []text
	// body is a text indented by some columns, on a new line or not.
	body    text
	columns int
	newline bool
}

// hole is a place whose content depends on something.
type hole struct {
	// node is the value that fills it, if it is one.
	node *node
	// element says that it is only an element of that value.
	element bool
	// yaml says that the value is printed as YAML.
	yaml bool
	// release says that the name of the release's namespace fills it.
	release bool
}

// maxAlternatives bounds how many texts one line or one word may have.
const maxAlternatives = 64

func literal(s string) text { return text{{lit: s}} }

func unknownText() text { return text{{hole: &hole{}}} }

func oneOf(options ...text) text {
	if len(options) == 1 {
		return options[0]
	}
	return text{{choice: options}}
}

// size is the number of parts; a text that grows in a loop is cut by it.
func (t text) size() int {
	total := 0
	for _, p := range t {
		total += 1 + p.body.size()
		for _, option := range p.choice {
			total += option.size()
		}
	}
	return total
}

// multiline reports whether the text may hold a line break.
func (t text) multiline() bool {
	for _, p := range t {
		if p.newline || strings.Contains(p.lit, "\n") || p.body.multiline() || p.hole != nil && p.hole.table() != nil {
			return true
		}
		for _, option := range p.choice {
			if option.multiline() {
				return true
			}
		}
	}
	return false
}

// table returns the non-empty map that a hole prints by default, or nil.
func (h *hole) table() map[string]any {
	if !h.yaml || h.element || h.node == nil {
		return nil
	}
	table, _ := h.node.plain().(map[string]any)
	if len(table) == 0 {
		return nil
	}
	return table
}

// lines returns the text line by line. Of a choice between texts of several
// lines, all are returned, one after the other.
func (t text) lines() []text {
	var w lineWriter
	w.write(t)
	return append(w.done, w.current)
}

type lineWriter struct {
	done    []text
	current text
}

func (w *lineWriter) end() {
	w.done = append(w.done, w.current)
	w.current = nil
}

func (w *lineWriter) write(t text) {
	for _, p := range t {
		switch {
		case p.hole != nil:
			w.current = append(w.current, p)
			w.writeTable(p.hole.table())
		case p.choice != nil:
			w.writeChoice(p)
		case p.body != nil:
			w.writeBody(p)
		default:
			for i, line := range strings.Split(p.lit, "\n") {
				if i > 0 {
					w.end()
				}
				if line != "" {
					w.current = append(w.current, part{lit: line})
				}
			}
		}
	}
}

// writeTable writes the lines that a value prints by default: they may hold a
// hook annotation or a namespace.
func (w *lineWriter) writeTable(table map[string]any) {
	if table == nil {
		return
	}
	data, err := yaml.Marshal(table)
	if err != nil {
		return
	}
	w.end()
	w.write(literal(strings.TrimSuffix(string(data), "\n")))
}

func (w *lineWriter) writeChoice(p part) {
	if !(text{p}).multiline() {
		w.current = append(w.current, p)
		return
	}
	for i, option := range p.choice {
		if i > 0 && len(w.current) > 0 {
			w.end()
		}
		w.write(option)
	}
}

func (w *lineWriter) writeBody(p part) {
	indent := part{lit: strings.Repeat(" ", p.columns)}
	if p.newline {
		w.end()
	}
	for i, line := range p.body.lines() {
		if i > 0 {
			w.end()
		}
		w.current = append(append(w.current, indent), line...)
	}
}

// flat is one possible form of a text: the literals, with a holeMark for each of
// the holes.
type flat struct {
	s     string
	holes []*hole
}

const holeMark = "\x00"

// flats returns the forms that a text can have, or a single one with holes for
// the choices if there are too many.
func (t text) flats() []flat {
	forms := []flat{{}}
	for _, p := range t {
		options := p.flats()
		if len(forms)*len(options) > maxAlternatives {
			options = []flat{{s: holeMark, holes: []*hole{{}}}}
		}
		next := make([]flat, 0, len(forms)*len(options))
		for _, form := range forms {
			for _, option := range options {
				holes := append(form.holes[:len(form.holes):len(form.holes)], option.holes...)
				next = append(next, flat{s: form.s + option.s, holes: holes})
			}
		}
		forms = next
	}
	return forms
}

func (p part) flats() []flat {
	switch {
	case p.hole != nil:
		return []flat{{s: holeMark, holes: []*hole{p.hole}}}
	case p.choice != nil:
		var out []flat
		for _, option := range p.choice {
			out = append(out, option.flats()...)
		}
		return out
	case p.body != nil:
		return p.body.flats()
	}
	return []flat{{s: p.lit}}
}

// constants returns the strings that the text can be, and whether those are all:
// false if a form has a hole.
func (t text) constants() (out []string, all bool) {
	all = true
	for _, form := range t.flats() {
		if len(form.holes) > 0 {
			all = false
			continue
		}
		out = append(out, strings.TrimSpace(form.s))
	}
	return out, all
}
