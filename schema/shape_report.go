package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"github.com/gpugen/gpugen/schema/diag"
)

func (w *walker) finding(path []any, id, format string, args ...any) diag.Finding {
	f := findingf(id, w.spec.Locate(path), format, args...)
	f.Path = PathString(path)
	return f
}

func (w *walker) add(path []any, id, format string, args ...any) {
	w.report(w.finding(path, id, format, args...))
}

// report keeps a finding, once for each place in the files: a label that many
// pools share is one mistake.
func (w *walker) report(f diag.Finding) {
	for _, g := range w.found {
		if g.ID == f.ID && g.Position == f.Position && g.Message == f.Message {
			return
		}
	}
	w.found.Add(f)
}

// fieldText names a field in a message; its place says the rest.
func fieldText(path []any) string {
	for i := len(path) - 1; i >= 0; i-- {
		if _, ok := path[i].(string); ok {
			return PathString(path[i:])
		}
	}
	return "the spec"
}

// unknown reports a field that the schema does not know, and returns the fields
// that may have been meant.
func (w *walker) unknown(path []any, name string, s *shape, present map[string]bool) []string {
	at := join(path, name)
	set := s.set()
	w.spec.taint(at)
	if set.keys != nil && len(set.order) == 0 {
		w.add(at, idKey, "%s: the name must be %s", quote(name), w.keyText(set))
		return nil
	}
	near := nearest(name, set.order)
	id, noun := idUnknownField, "field"
	if len(path) == 1 && path[0] == "components" {
		id, noun = idUnknownComponent, "component"
	}
	f := w.finding(at, id, "unknown %s %s", noun, quote(name))
	elsewhere := w.engine.elsewhere(name)
	if len(elsewhere) > 0 && !slices.ContainsFunc(near, func(n string) bool { return !present[n] }) {
		// What is near is written already; a field of exactly this name is meant.
		near = nil
	}
	switch {
	case len(near) > 0:
		f.Message += "; did you mean " + quotedOr(near) + "?"
		f.Fix = "rename it to " + quotedOr(near)
	case id == idUnknownField && len(elsewhere) > 0:
		f.Message += "; it belongs to " + strings.Join(elsewhere, " or ")
		f.Fix = "move it to " + strings.Join(elsewhere, " or ")
	case len(set.order) > 0:
		f.Message += "; allowed here: " + strings.Join(slices.Sorted(slices.Values(set.order)), ", ")
		if set.keys != nil {
			f.Message += ", or " + w.keyText(set)
		}
	default:
		f.Message += "; no fields are allowed here"
	}
	w.report(f)
	return near
}

// keyText says what names a struct accepts.
func (w *walker) keyText(set *fieldSet) string {
	if t := w.engine.errorText(set.keys); t != "" {
		return t
	}
	return "a name that matches " + exprText(set.keys)
}

// elsewhere returns the other places of the schema that have a field of this
// name, at most three.
func (e *engine) elsewhere(name string) []string {
	if e.places == nil {
		e.places = map[string][]string{}
		e.collect("", "", e.shape(), 0)
	}
	places := e.places[name]
	return places[:min(len(places), 3)]
}

func (e *engine) collect(prefix, name string, s *shape, depth int) {
	// Components share one shape; naming each of them would say nothing more.
	if depth > 8 || prefix == "components" {
		return
	}
	switch {
	case s.isStruct():
		set := s.set()
		for _, n := range slices.Sorted(maps.Keys(set.byName)) {
			at := strings.TrimPrefix(prefix+"."+labelString(n), ".")
			e.places[n] = append(e.places[n], at)
			e.collect(at, n, set.byName[n], depth+1)
		}
		if p := s.anyChild(); p != nil {
			e.collect(prefix+".<"+singular(name)+">", "", p, depth+1)
		}
	case s.isList():
		e.collect(prefix+"[]", "", s.element(), depth+1)
	}
}

// anyChild returns the shape under a pattern without a user's key.
func (s *shape) anyChild() *shape {
	set := s.set()
	if set.keys == nil {
		return nil
	}
	return s.child(set.sample)
}

// singular makes "pool" from "nodePools".
func singular(name string) string {
	start := 0
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			start = i
		}
	}
	return strings.TrimSuffix(strings.ToLower(name[start:]), "s")
}

func (w *walker) missing(path []any, name string, s *shape) {
	at := join(path, name)
	f := w.finding(path, idMissing, "%s is missing", fieldText(at))
	f.Path = PathString(at)
	if s.doc != "" {
		sentence, _, _ := strings.Cut(s.doc, ". ")
		f.Message += ": " + strings.TrimSuffix(sentence, ".")
	}
	f.Fix = "add " + w.sample(name, s)
	w.report(f)
}

// sample is a line that adds a field.
func (w *walker) sample(name string, s *shape) string {
	if s.example != nil {
		return labelString(name) + ": " + exprText(s.example)
	}
	if !s.isStruct() {
		return labelString(name)
	}
	var inner []string
	set := s.set()
	for _, n := range set.order {
		if set.byName[n].required {
			inner = append(inner, w.sample(n, set.byName[n]))
		}
	}
	return labelString(name) + ": {" + strings.Join(inner, ", ") + "}"
}

func (w *walker) notYet(path []any, value string) {
	what := fieldText(path)
	if value != "" {
		what += ": " + value
	}
	f := w.finding(path, idNotYet, "%s is not supported yet: this release of gpugen accepts it, but cannot act on it", what)
	w.spec.taint(path)
	w.report(f)
}

func (w *walker) notConcrete(path []any, v cue.Value) {
	x := w.spec.index.lookup(path)
	if x != nil && slices.ContainsFunc(x.places, func(p place) bool { return p.broken }) || w.lenient && v.IncompleteKind() == cue.TopKind {
		// The expression was cut out because it cannot be compiled; that is reported.
		return
	}
	w.add(path, idNotConcrete, "%s is not concrete: %s", fieldText(path), clip(fmt.Sprint(v)))
}

func messageOf(err errors.Error) string {
	format, args := err.Msg()
	return fmt.Sprintf(format, args...)
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return s
}
