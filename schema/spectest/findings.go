package spectest

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
)

// IDs of findings about names.
const (
	UnknownField     = "SPEC-020"
	unknownComponent = "SPEC-021"
)

// Brief renders findings as "file:line:column ID".
func Brief(findings diag.List) []string {
	var out []string
	for _, f := range findings {
		out = append(out, fmt.Sprintf("%s:%d:%d %s", f.Position.File, f.Position.Line, f.Position.Column, f.ID))
	}
	return out
}

// CheckFindings checks what holds for every finding about an input.
func CheckFindings(t testing.TB, findings diag.List, inputs map[string]string) {
	t.Helper()
	for _, f := range findings {
		if f.Message == "" || f.Why == "" || f.Fix == "" {
			t.Errorf("finding says too little: %+v", f)
		}
		if f.Fatal {
			continue
		}
		for _, p := range append([]diag.Position{f.Position}, positionsOf(f.Also)...) {
			text, ok := inputs[p.File]
			if !ok {
				t.Errorf("%s points into %q, which is no input", f.ID, p.File)
				continue
			}
			lines := strings.Split(text, "\n")
			if p.Line < 1 || p.Line > len(lines) {
				t.Errorf("%s points at line %d of %d", f.ID, p.Line, len(lines))
				continue
			}
			line := strings.TrimSuffix(lines[p.Line-1], "\r")
			if p.Line == 1 {
				line = strings.TrimPrefix(line, "\uFEFF")
			}
			if n := utf8.RuneCountInString(line); p.Column < 1 || p.Column > n+1 {
				t.Errorf("%s points at column %d of %d: %+v", f.ID, p.Column, n, f)
			}
			if f.ID == UnknownField || f.ID == unknownComponent {
				// A finding about a name points at just that name.
				at := strings.Trim(string([]rune(line)[p.Column-1:max(p.EndColumn, p.Column)-1]), `"'`)
				elements := Elements(f.Path)
				if name := elements[len(elements)-1]; at != name && strings.Trim(fmt.Sprint(name), `"'`) != at && plainKey.MatchString(at) && p == f.Position {
					t.Errorf("%s points at %q, not at %s", f.ID, at, f.Path)
				}
			}
			if p.Text != line && p.Text != "" {
				t.Errorf("%s quotes %q, the line is %q", f.ID, p.Text, line)
			}
		}
	}
}

func positionsOf(places []diag.Place) []diag.Position {
	var out []diag.Position
	for _, p := range places {
		out = append(out, p.Position)
	}
	return out
}

// Elements parses a path in CUE's form.
func Elements(path string) []any {
	var out []any
	for _, sel := range cue.ParsePath(path).Selectors() {
		switch sel.LabelType() {
		case cue.IndexLabel:
			out = append(out, sel.Index())
		case cue.StringLabel:
			out = append(out, sel.Unquoted())
		default:
			out = append(out, sel.String())
		}
	}
	return out
}
