package helm

import (
	"maps"
	"slices"
	"strings"
)

const (
	// maxDepth and maxNested bound nested includes, of all templates and of one:
	// templates that include themselves would not end.
	maxDepth  = 40
	maxNested = 2
	// maxIncludes bounds the includes of one pass. The largest charts have a few
	// thousand.
	maxIncludes = 200_000
)

// includeNamed evaluates include NAME DOT.
func (s *scanner) includeNamed(name, dot value, f *frame) value {
	names, all := name.print().constants()
	if !all {
		s.escape(dot)
		return value{}
	}
	var options []value
	for _, n := range names {
		options = append(options, s.include(n, dot, f))
	}
	return union(options...)
}

// include returns what a named template prints.
func (s *scanner) include(name string, dot value, f *frame) value {
	body := s.named[name]
	s.includes++
	if body == nil || s.depth >= maxDepth || s.nested[name] >= maxNested || s.includes > maxIncludes {
		s.escape(dot)
		return value{text: unknownText()}
	}
	key := memoKey(name, dot)
	if known, ok := s.included[key]; ok && key != "" {
		return known
	}
	s.depth++
	s.nested[name]++
	printed := s.walk(body, &frame{dot: dot, vars: newScope(nil, dot), file: f.file})
	s.depth--
	s.nested[name]--
	if printed.size() > maxText {
		printed = unknownText()
	}
	out := value{text: append(text{}, printed...)}
	if key != "" {
		s.included[key] = out
	}
	return out
}

// memoKey names an include that gives the same whenever it is evaluated: one of
// a chart's top object. It is empty for others.
func memoKey(name string, dot value) string {
	if len(dot.units) != 1 || dot.dict != nil || dot.object != nil || len(dot.nodes)+len(dot.elements)+len(dot.items) > 0 {
		return ""
	}
	return name + "\n" + dot.units[0].path()
}

// template evaluates tpl TEXT DOT. Templates in default values are walked, those
// that a user may write are not.
func (s *scanner) template(content, dot value, f *frame) value {
	for _, source := range templatesIn(content) {
		trees, err := parseTemplate("tpl", source)
		if err != nil || s.depth >= maxDepth {
			continue
		}
		s.depth++
		printed := s.walk(trees["tpl"].Root, &frame{dot: dot, vars: newScope(nil, dot), file: f.file})
		s.depth--
		if len(content.nodes)+len(content.elements) == 0 {
			return value{text: append(text{}, printed...)}
		}
	}
	return content
}

// templatesIn returns the strings with template actions that a value may hold by
// default.
func templatesIn(v value) []string {
	var out []string
	if len(v.nodes)+len(v.elements) == 0 {
		constants, _ := v.print().constants()
		for _, c := range constants {
			out = appendTemplates(out, c)
		}
	}
	for _, n := range v.nodes {
		out = appendTemplates(out, n.plain())
	}
	for _, n := range v.elements {
		out = appendTemplates(out, n.plain())
	}
	return out
}

func appendTemplates(out []string, x any) []string {
	switch x := x.(type) {
	case string:
		if strings.Contains(x, "{{") {
			out = append(out, x)
		}
	case []any:
		for _, item := range x {
			out = appendTemplates(out, item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			out = appendTemplates(out, x[key])
		}
	}
	return out
}
