package schema

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/diag"
)

// Input says where a spec comes from.
type Input struct {
	// Path is a file (.cue, .yaml, .yml, .json), a directory, or "-" for
	// standard input; "" means ".".
	Path string
	// Stdin is read if Path is "-".
	Stdin io.Reader
	// Format of standard input: "yaml" (the default; JSON is YAML) or "cue".
	Format string
}

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

	sources    *sources
	index      *index
	user       cue.Value
	tainted    [][]any
	duplicates []duplicate
	site       *SiteRules
}

// Locate returns where path is written: its label, or else that of the nearest
// ancestor that the user wrote, or else the start of the spec. Elements of path
// are labels (string) and list positions (int).
func (s *Spec) Locate(path []any) diag.Position {
	for n := len(path); n > 0; n-- {
		if p := s.Places(path[:n]); len(p) > 0 {
			return p[0]
		}
	}
	if s.sources == nil {
		return diag.Position{}
	}
	return s.sources.start()
}

// Wrote reports whether the user wrote a value at path, directly or by a
// reference, pattern or comprehension of their own.
func (s *Spec) Wrote(path []any) bool { return len(s.Places(path)) > 0 }

// Places returns every place where the label of path is written, in the order of
// files and lines.
func (s *Spec) Places(path []any) []diag.Position {
	if x := s.index.lookup(path); x != nil && len(x.places) > 0 {
		out := make([]diag.Position, len(x.places))
		for i, p := range x.places {
			out[i] = p.position()
		}
		return out
	}
	if len(path) == 0 || !s.user.Exists() {
		return nil
	}
	v := s.user.LookupPath(cuePath(path))
	if !v.Exists() {
		return nil
	}
	if f, ok := v.Source().(*ast.Field); ok {
		if p, ok := s.sources.label(f); ok {
			return []diag.Position{p}
		}
	}
	places := []token.Pos{v.Pos()}
	for _, err := range errors.Errors(v.Err()) {
		places = append(places, err.InputPositions()...)
	}
	for _, pos := range places {
		if p, ok := s.sources.locate(pos); ok {
			return []diag.Position{p}
		}
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

// Files returns every file that was loaded, embedded data included, by path.
func (s *Spec) Files() []SourceFile {
	if s.sources == nil {
		return nil
	}
	return s.sources.loaded()
}

// SiteRules returns the rules that the spec's CUE files bring, or nil.
func (s *Spec) SiteRules() *SiteRules { return s.site }

func (s *Spec) taint(path []any) { s.tainted = append(s.tainted, path) }

// duplicated reports whether path lies at or below a key that is written twice
// in YAML, which is reported already.
func (s *Spec) duplicated(path []any) bool {
	return slices.ContainsFunc(s.duplicates, func(d duplicate) bool {
		return len(d.path) <= len(path) && slices.EqualFunc(d.path, path[:len(d.path)], sameElement)
	})
}

// load reads a spec and compares it with the schema. All that is wrong is
// returned at once. The spec is nil only where nothing could be evaluated;
// otherwise it is whole enough to be resolved and checked.
//
// After a finding SPEC-014 or SPEC-018 the engine must not be used again.
func (e *engine) load(in Input) (*Spec, diag.List) {
	l := &loader{engine: e, in: in, sources: newSources(in.Path)}
	spec := l.recovered()
	for i := range l.found {
		l.found[i] = describe(l.found[i])
	}
	return spec, l.found.Sorted()
}

// recovered runs the load; a parser that panics is a finding, too.
func (l *loader) recovered() (spec *Spec) {
	defer func() {
		if r := recover(); r != nil {
			f := evaluatorFailed("the spec", fmt.Sprint("panic: ", r))
			f.Position = l.sources.start()
			l.report(f)
			spec = nil
		}
	}()
	return l.run()
}

// loader is the state of one load.
type loader struct {
	engine  *engine
	in      Input
	sources *sources
	found   diag.List
}

func (l *loader) report(f diag.Finding) { l.found.Add(f) }

// compare walks the evaluated value beside the schema, under the watchdog, and
// returns what it found. It is false if the evaluation does not end.
func (l *loader) compare(w *walker, build func() cue.Value) (diag.List, bool) {
	var found diag.List
	failed, tripped := guard(l.engine.limits, "the spec", func() {
		w.spec.user = build()
		w.spec.Data = w.fields(nil, fieldsOf(w.spec.user), l.engine.shape())
		if w.expressions {
			w.leftover(w.spec.user)
		}
		if w.embedded {
			w.prune(nil, w.spec.Data)
		}
		w.spec.Name, _ = w.spec.Data["name"].(string)
		found = w.found
	})
	if tripped {
		failed.Position = l.sources.start()
		return diag.List{failed}, false
	}
	return found, true
}

func comparePositions(a, b diag.Position) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
