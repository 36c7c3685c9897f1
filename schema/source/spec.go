// Package source owns what the user wrote: it reads files, imports and embedded data
// safely, parses CUE, YAML and JSON, and knows where each field stands. It must not
// evaluate, nor judge what is written.
package source

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/diag"
)

// Spec is one cluster as the user wrote it, made whole: plain data, with
// defaults left to the schema.
type Spec struct {
	// Name of the cluster.
	Name string
	// Data is what the user wrote, repaired so that rules can run: wrong values
	// are replaced by the schema's default or @example, unknown and unsupported
	// fields are dropped, missing required ones filled in. It holds strings,
	// bool, int64, float64, nil, []any and map[string]any.
	Data map[string]any

	files      *Files
	labels     *labelTree
	value      cue.Value
	tainted    [][]any
	duplicates []duplicate
	rules      *SiteRules
}

// Files are the files of the user that the spec was read from.
func (s *Spec) Files() *Files { return s.files }

// Value is what the user wrote, evaluated.
func (s *Spec) Value() cue.Value { return s.value }

// SetValue keeps the evaluated value: it knows the places of what references,
// patterns and comprehensions make.
func (s *Spec) SetValue(v cue.Value) { s.value = v }

// Locate returns where path is written: its label, or else that of the nearest
// ancestor that the user wrote, or else the start of the spec. Elements of path
// are labels (string) and list positions (int).
func (s *Spec) Locate(path []any) diag.Position {
	for n := len(path); n > 0; n-- {
		if p := s.Places(path[:n]); len(p) > 0 {
			return p[0]
		}
	}
	if s.files == nil {
		return diag.Position{}
	}
	return s.files.Start()
}

// Wrote reports whether the user wrote a value at path, directly or by a
// reference, pattern or comprehension of their own.
func (s *Spec) Wrote(path []any) bool { return len(s.Places(path)) > 0 }

// Places returns every place where the label of path is written, in the order of
// files and lines.
func (s *Spec) Places(path []any) []diag.Position {
	if labels := s.Labels(path); len(labels) > 0 {
		out := make([]diag.Position, len(labels))
		for i, l := range labels {
			out[i] = l.Position()
		}
		return out
	}
	if len(path) == 0 || !s.value.Exists() {
		return nil
	}
	v := s.value.LookupPath(CUEPath(path))
	if !v.Exists() {
		return nil
	}
	if f, ok := v.Source().(*ast.Field); ok {
		if p, ok := s.files.LabelOf(f); ok {
			return []diag.Position{p}
		}
	}
	places := []token.Pos{v.Pos()}
	for _, err := range errors.Errors(v.Err()) {
		places = append(places, err.InputPositions()...)
	}
	for _, pos := range places {
		if p, ok := s.files.FieldAt(pos); ok {
			return []diag.Position{p}
		}
	}
	return nil
}

// Labels returns what is written at path itself; what references, patterns and
// comprehensions make has none.
func (s *Spec) Labels(path []any) []Label {
	if x := s.labels.lookup(path); x != nil {
		return x.labels
	}
	return nil
}

// Tainted reports whether path is, lies below, or lies above a place that was
// repaired: what a rule says about it may not be the user's doing.
func (s *Spec) Tainted(path []any) bool {
	return slices.ContainsFunc(s.tainted, func(t []any) bool {
		n := min(len(t), len(path))
		return slices.EqualFunc(t[:n], path[:n], sameElement)
	})
}

func sameElement(a, b any) bool {
	i, isInt := asIndex(a)
	j, alsoInt := asIndex(b)
	if isInt || alsoInt {
		return isInt && alsoInt && i == j
	}
	return a == b
}

// SiteRules returns the rules that the spec's CUE files bring, or nil.
func (s *Spec) SiteRules() *SiteRules { return s.rules }

// Taint marks a path as no longer the user's.
func (s *Spec) Taint(path []any) { s.tainted = append(s.tainted, path) }

// WrittenTwice reports whether path lies at or below a key that is written twice
// in YAML, which is reported already.
func (s *Spec) WrittenTwice(path []any) bool {
	return slices.ContainsFunc(s.duplicates, func(d duplicate) bool {
		return len(d.path) <= len(path) && slices.EqualFunc(d.path, path[:len(d.path)], sameElement)
	})
}

// Taints are the paths that were tainted so far.
func (s *Spec) Taints() [][]any { return s.tainted }
