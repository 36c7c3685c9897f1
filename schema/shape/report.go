package shape

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/syntax"
	"github.com/gpugen/gpugen/schema/typo"
)

func (w *walker) finding(path []any, kind diag.Kind, format string, args ...any) diag.Finding {
	return kind.At(w.spec.Locate(path), source.PathString(path), format, args...)
}

func (w *walker) add(path []any, kind diag.Kind, format string, args ...any) {
	w.report(w.finding(path, kind, format, args...))
}

// report keeps a finding, once for each place in the files: a label that many
// pools share is one mistake.
func (w *walker) report(f diag.Finding) {
	at := f.Position
	at.Text = ""
	if key := (reported{f.ID, at, f.Message}); !w.reported[key] {
		if w.reported == nil {
			w.reported = map[reported]bool{}
		}
		w.reported[key] = true
		w.found.Add(f)
	}
}

// reported is what tells findings from each other.
type reported struct {
	id      string
	at      diag.Position
	message string
}

// unknown reports a field that the schema does not know, and returns the fields
// that may have been meant.
func (w *walker) unknown(path []any, name string, s *shape, present map[string]bool) []string {
	at := source.Join(path, name)
	set := s.set()
	w.spec.Taint(at)
	if set.keys != nil && len(set.order) == 0 {
		f := w.finding(at, wrongName, "%s: the name must be %s", syntax.Quote(name), w.keyText(set))
		for _, other := range otherForms(name) {
			if s.child(other) != nil && !present[other] {
				f.Fix = "rename it to " + syntax.Quote(other)
				break
			}
		}
		w.report(f)
		return nil
	}
	near := nearFields(name, set.order)
	kind, noun := unknownField, "field"
	if len(path) == 1 && path[0] == "components" {
		kind, noun = unknownComponent, "component"
	}
	f := w.finding(at, kind, "unknown %s %s", noun, syntax.Quote(name))
	elsewhere := w.schema.elsewhere(name)
	place, value, isValue := w.schema.valueOf(name, path)
	if len(elsewhere) > 0 && !slices.ContainsFunc(near, func(n string) bool { return !present[n] }) {
		// What is near is written already; a field of exactly this name is meant.
		near = nil
	}
	switch {
	case len(near) > 0:
		f.Message += "; did you mean " + quotedOr(near) + "?"
		f.Fix = "rename it to " + quotedOr(near)
	case kind == unknownField && len(elsewhere) > 0:
		f.Message += "; it belongs to " + strings.Join(elsewhere, " or ")
		f.Fix = "move it to " + strings.Join(elsewhere, " or ")
		lacking := slices.DeleteFunc(set.lacking(present), func(n string) bool { return len(name) < 3 || !strings.HasPrefix(n, name[:3]) })
		if len(lacking) > 0 {
			f.Fix = "rename it to " + quotedOr(lacking) + ", or " + f.Fix
		}
	case kind == unknownField && isValue:
		f.Message += "; it is a value of " + place
		f.Fix = "write " + place + ": " + syntax.Quote(value) + ", and remove the field"
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
	if t := w.schema.errorText(set.keys); t != "" {
		return t
	}
	return "a name that matches " + exprText(set.keys)
}

func (w *walker) missing(path []any, name string, s *shape) {
	at := source.Join(path, name)
	f := w.finding(path, missingField, "%s is missing", source.FieldText(at))
	f.Path = source.PathString(at)
	if s.doc != "" {
		sentence, _, _ := strings.Cut(s.doc, ". ")
		f.Message += ": " + strings.TrimSuffix(sentence, ".")
	}
	if s.notYet != nil && !s.isStruct() && !s.isList() {
		f.Message += "; supported: " + strings.Join(s.supported(s.notYet.values), ", ")
	}
	f.Fix = "add " + w.sample(name, s)
	if s.suggested == "" {
		w.report(f)
		return
	}
	w.lacking = append(w.lacking, lacking{f, path, name, s.suggested})
}

// sample is a line that adds a field.
func (w *walker) sample(name string, s *shape) string {
	if s.example != nil {
		return source.LabelString(name) + ": " + exprText(s.example)
	}
	if !s.isStruct() {
		return source.LabelString(name)
	}
	return source.LabelString(name) + ": " + w.sampleFields(s)
}

// sampleFields are the fields that a struct must have, in braces.
func (w *walker) sampleFields(s *shape) string {
	var inner []string
	set := s.set()
	for _, n := range set.order {
		if set.byName[n].required {
			inner = append(inner, w.sample(n, set.byName[n]))
		}
	}
	return "{" + strings.Join(inner, ", ") + "}"
}

// notYet reports what this release cannot act on, and what a person can do instead.
func (w *walker) notYet(path []any, value string, s *shape, supported []string) {
	what := source.FieldText(path)
	if value != "" {
		what += ": " + value
	}
	f := w.finding(path, notSupported, "%s is not supported yet: this release of gpugen accepts it, but cannot act on it", what)
	if len(supported) > 0 {
		f.Message += "; supported: " + strings.Join(supported, ", ")
		f.Fix = "write " + orList(supported) + ", or use a release that supports " + value
	} else if s.instead != "" {
		f.Fix = s.instead + ", or use a release that supports it"
	}
	w.spec.Taint(path)
	w.report(f)
}

func (w *walker) notConcrete(path []any, v cue.Value) {
	broken := slices.ContainsFunc(w.spec.Labels(path), func(l source.Label) bool { return l.Broken })
	if broken || w.Lenient && v.IncompleteKind() == cue.TopKind {
		// The expression was cut out because it cannot be compiled; that is reported.
		return
	}
	w.add(path, notConcrete, "%s is not concrete: %s", source.FieldText(path), diag.OneLine(fmt.Sprint(v)))
}

// quotedOr renders names as "a", "b" or "c".
func quotedOr(names []string) string { return orList(quoted(names)) }

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = syntax.Quote(n)
	}
	return out
}

// orList renders texts as a, b or c.
func orList(texts []string) string {
	if n := len(texts); n > 1 {
		return strings.Join(texts[:n-1], ", ") + " or " + texts[n-1]
	}
	return strings.Join(texts, "")
}

// exprText writes a schema expression in one line.
func exprText(x ast.Expr) string {
	b, err := format.Node(x)
	if err != nil {
		return ""
	}
	return diag.OneLine(string(b))
}

// nearFields are the fields that a name may stand for. A plural is its singular's first,
// and a name that goes on where a field ends, or the other way round, is near as well.
func nearFields(name string, fields []string) []string {
	near := typo.Nearest(name, fields)
	for _, n := range near {
		if n == name+"s" || n+"s" == name {
			return []string{n}
		}
	}
	if len(near) > 0 {
		return near
	}
	const least = 4
	for _, n := range fields {
		if len(n) >= least && strings.HasPrefix(name, n) || len(name) >= least && strings.HasPrefix(n, name) {
			near = append(near, n)
		}
	}
	if len(near) > 1 {
		return nil
	}
	return near
}
