package shape

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
)

// notComputed reports a value that CUE could not compute: two places that
// disagree, or an expression that fails.
func (w *walker) notComputed(path []any, v cue.Value) {
	if w.spec.WrittenTwice(path) {
		return
	}
	var places []diag.Position
	var values []string
	for _, l := range w.spec.Labels(path) {
		if l.Broken {
			return
		}
		places = append(places, l.Position())
		values = append(values, orText(l.Value(), "another value"))
	}
	errs := errors.Errors(v.Err())
	if len(errs) == 0 {
		w.notConcrete(path, v)
		return
	}
	if w.causedElsewhere(v, errs) {
		return
	}
	message := source.Message(errs[0])
	if isNotAllowed(message) {
		w.notAllowed(path, errs[0])
		return
	}
	if isIncomplete(message) && w.waitsFor(path, errs[0]) {
		return
	}
	if !isDisagreement(message) {
		w.add(path, NotComputed, "%s: %s", source.FieldText(path), message)
		return
	}
	if len(places) < 2 {
		// Made by patterns, references or a merge: the error knows the places.
		places = w.placesOf(path, errs[0])
		values = make([]string, len(places))
	}
	f := w.finding(path, conflict, "%s: %s", source.FieldText(path), diag.OneLine(message))
	if len(places) > 1 {
		f.Position = places[0]
		if values[0] != "" {
			f.Message = fmt.Sprintf("%s: %s here, but %s in another place", source.FieldText(path), values[0], values[1])
		}
		for i, p := range places[1:] {
			f.Also = append(f.Also, diag.Place{Position: p, Path: source.PathString(path), Note: orText(values[i+1], "the other value")})
		}
	}
	w.report(f)
}

// waitsFor reports the field that an expression needs and that has no value yet, such as
// one that a base leaves to each cluster.
func (w *walker) waitsFor(path []any, err errors.Error) bool {
	own := w.spec.Locate(path)
	for _, pos := range err.InputPositions() {
		at, ok := w.spec.Files().FieldAt(pos)
		label := labelAt(at)
		if !ok || label == "" || at.File == own.File && at.Line == own.Line {
			continue
		}
		f := notConcrete.At(at, source.PathString(path), "%s is not concrete, and %s follows from it", label, source.FieldText(path))
		f.Also = []diag.Place{{Position: own, Path: source.PathString(path)}}
		if !slices.ContainsFunc(w.found, func(g diag.Finding) bool { return g.ID == f.ID && g.Position == f.Position }) {
			w.report(f)
		}
		w.spec.Taint(path)
		return true
	}
	return false
}

// causedElsewhere reports whether an error only repeats that of a field which v
// refers to, and which is reported there.
func (w *walker) causedElsewhere(v cue.Value, errs []errors.Error) bool {
	own := labels(v.Path())
	for _, err := range errs {
		if len(err.Path()) == 0 || slices.Equal(err.Path(), own) {
			return false
		}
	}
	message := source.Message(errs[0])
	if isCycle(message) {
		return false
	}
	regular := !slices.ContainsFunc(errs[0].Path(), func(l string) bool {
		return strings.HasPrefix(l, "_") || strings.HasPrefix(l, "#")
	})
	return regular && w.spec.Value().LookupPath(cue.ParsePath(strings.Join(errs[0].Path(), "."))).Err() != nil
}

// placesOf returns the labels of path that an error names: all of them, where
// none has the field's own name.
func (w *walker) placesOf(path []any, err errors.Error) []diag.Position {
	var named, all []diag.Position
	for _, pos := range err.InputPositions() {
		p, ok := w.spec.Files().FieldAt(pos)
		if !ok || slices.Contains(all, p) {
			continue
		}
		all = append(all, p)
		if len(path) > 0 && strings.Trim(labelAt(p), `"`) == fmt.Sprint(path[len(path)-1]) {
			named = append(named, p)
		}
	}
	if len(named) > 0 {
		all = named
	}
	slices.SortFunc(all, comparePositions)
	return all
}

// labelAt is the text that a position marks.
func labelAt(p diag.Position) string {
	line := []rune(p.Text)
	if p.Column < 1 || p.EndColumn <= p.Column || p.EndColumn-1 > len(line) {
		return ""
	}
	return string(line[p.Column-1 : p.EndColumn-1])
}

// leftover reports what the walk cannot see: errors of a struct as a whole, such
// as a comprehension over something that cannot be ranged over.
func (w *walker) leftover(v cue.Value) {
	errs := errors.Errors(v.Validate(cue.Concrete(true)))
	if len(errs) == 0 {
		return
	}
	known := map[string]bool{}
	for _, path := range w.spec.Taints() {
		known[source.PathString(path)] = true
	}
	for _, err := range errs {
		path := errorPath(err)
		if slices.ContainsFunc(prefixes(path), func(p []any) bool { return known[source.PathString(p)] }) {
			continue
		}
		w.expression(path, err)
	}
}

// structError reports an expression inside a struct that fails, such as the
// condition of a comprehension, where the fields around it can still be compared.
func (w *walker) structError(path []any, v cue.Value) bool {
	errs := errors.Errors(v.Err())
	if len(errs) == 0 || isDisagreement(source.Message(errs[0])) || len(fieldsOf(v)) == 0 {
		return false
	}
	if !w.causedElsewhere(v, errs) {
		w.expression(path, errs[0])
	}
	w.spec.Taint(path)
	return true
}

// notAllowed reports a field that a definition of the user's, which closes the struct
// around it, does not have; once, whatever is below it.
func (w *walker) notAllowed(path []any, err errors.Error) {
	if at := errorPath(err); len(at) > 0 {
		path = at
	}
	for _, p := range prefixes(path) {
		if slices.Contains(w.closedOut, source.PathString(p)) {
			return
		}
	}
	w.closedOut = append(w.closedOut, source.PathString(path))
	w.spec.Taint(path)
	where := "the spec"
	if len(path) > 1 {
		where = source.PathString(path[:len(path)-1])
	}
	w.add(path, ClosedOut, "%s: a definition that the spec uses closes %s, and has no such field", source.FieldText(path), where)
}

// expression reports an expression that fails, at the expression itself.
func (w *walker) expression(path []any, err errors.Error) {
	if isNotAllowed(source.Message(err)) {
		w.notAllowed(path, err)
		w.spec.Taint(path)
		return
	}
	at := w.spec.Locate(path)
	for _, pos := range append(errors.Positions(err), err.InputPositions()...) {
		if p, ok := w.spec.Files().At(pos, 1); ok {
			at = p
			break
		}
	}
	f := NotComputed.At(at, source.PathString(path), "%s", diag.OneLine(source.Message(err)))
	w.spec.Taint(path)
	w.report(f)
}

// errorPath is the path of an error of CUE's, as far as it lies in the spec.
func errorPath(err errors.Error) []any {
	var out []any
	for _, label := range err.Path() {
		if i, e := strconv.Atoi(label); e == nil {
			out = append(out, i)
			continue
		}
		if name, e := literal.Unquote(label); e == nil {
			label = name
		} else if strings.HasPrefix(label, "_") || strings.HasPrefix(label, "#") {
			break
		}
		out = append(out, label)
	}
	return out
}

// prefixes are the paths above a path, and the path itself.
func prefixes(path []any) [][]any {
	var out [][]any
	for n := range len(path) {
		out = append(out, path[:n+1])
	}
	return out
}

func comparePositions(a, b diag.Position) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
