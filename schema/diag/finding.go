// Package diag owns the finding: what gpugen has to say about an input, where,
// why it matters and what cures it. It must not read files, print, or know any
// rule.
package diag

import (
	"cmp"
	"slices"
)

// Severity says whether a finding stops a render.
type Severity string

// The severities. Only an Error stops a render; --strict counts a Warning as
// one.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Position is a place in a file. Lines and columns count from 1, columns in
// Unicode code points; EndColumn is exclusive, on the same line. Zero means
// unknown.
type Position struct {
	File      string `json:"file"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	// Text is the source line, without its line end; empty if unknown.
	Text string `json:"text,omitempty"`
}

// IsZero reports whether the position names no file.
func (p Position) IsZero() bool { return p.File == "" }

// Place is another side of a finding.
type Place struct {
	Position Position `json:"position,omitzero"`
	// Path is the place in the spec, in CUE's form (tenants."team-a".quota).
	Path string `json:"path,omitempty"`
	// Note says in a few words what is there.
	Note string `json:"note,omitempty"`
}

// Finding is one thing to say about an input.
type Finding struct {
	// ID is stable: DRIVER-001 is the same rule in every release.
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Position Position `json:"position,omitzero"`
	// Path is the place in the spec, in CUE's form.
	Path string `json:"path,omitempty"`
	// Also holds the other sides of a contradiction.
	Also   []Place `json:"also,omitempty"`
	Why    string  `json:"why,omitempty"`
	Fix    string  `json:"fix,omitempty"`
	Source string  `json:"source,omitempty"`
	// Fatal marks a finding that kept gpugen from running at all (exit code 2),
	// such as an unreadable file.
	Fatal bool `json:"fatal,omitempty"`
}

// List is a set of findings. The zero value is an empty list.
type List []Finding

// Add appends a finding; one without a severity is an error.
func (l *List) Add(f Finding) {
	if f.Severity == "" {
		f.Severity = Error
	}
	*l = append(*l, f)
}

// HasErrors reports whether a finding in the list stops a render.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(f Finding) bool { return f.Severity == Error })
}

// Fatal reports whether a finding kept gpugen from running.
func (l List) Fatal() bool {
	return slices.ContainsFunc(l, func(f Finding) bool { return f.Fatal })
}

// Count returns the number of errors and of warnings.
func (l List) Count() (errors, warnings int) {
	for _, f := range l {
		if f.Severity == Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}

// Sorted returns the findings by file, line, column, ID and message, each once.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Position.File, b.Position.File),
			cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column),
			cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.CompactFunc(out, func(a, b Finding) bool {
		return a.Position == b.Position && a.ID == b.ID && a.Path == b.Path && a.Message == b.Message
	})
}
