package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/cmd/gpugen/internal/report"
	"github.com/gpugen/gpugen/schema/diag"
)

func write(t *testing.T, format string, findings ...diag.Finding) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Write(&out, format, "1.2.3", findings); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTextOfNothingIsNothing(t *testing.T) {
	if got := write(t, "text"); got != "" {
		t.Errorf("got %q", got)
	}
}

// Editors jump to file:line:column, so that is how each finding begins.
func TestTextBeginsWithThePlace(t *testing.T) {
	for _, test := range []struct {
		at   diag.Position
		want string
	}{
		{diag.Position{File: "a/b.cue", Line: 3, Column: 7}, "a/b.cue:3:7: error X-001: m\n"},
		{diag.Position{File: "dir"}, "dir: error X-001: m\n"},
		{diag.Position{}, "error X-001: m\n"},
	} {
		got := write(t, "text", diag.Finding{ID: "X-001", Severity: diag.Error, Message: "m", Position: test.at})
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%+v: got %q, want %q first", test.at, got, test.want)
		}
	}
}

// The mark stands below what it marks, whatever comes before it in the line.
func TestTextMarksWhatIsMeant(t *testing.T) {
	for _, test := range []struct {
		line       string
		start, end int
		mark       string
	}{
		{`name: "x"`, 1, 5, "        | ^^^^"},
		{"\tname: 1", 2, 6, "        | \t^^^^"},
		{"\ta: {\tname: 1", 7, 11, "        | \t    \t^^^^"},
		{`"größe": 1, n: 2`, 13, 14, "        |             ^"},
		{"name: 1", 1, 0, "        | ^"},
	} {
		at := diag.Position{File: "f", Line: 12, Column: test.start, EndColumn: test.end, Text: test.line}
		lines := strings.Split(write(t, "text", diag.Finding{ID: "X-001", Severity: diag.Error, Message: "m", Position: at}), "\n")
		if lines[1] != "     12 | "+test.line || lines[2] != test.mark {
			t.Errorf("%q: got\n%s\n%s\nwant\n%s", test.line, lines[1], lines[2], test.mark)
		}
	}
}

func TestTextCounts(t *testing.T) {
	problem := diag.Finding{ID: "X-001", Severity: diag.Error, Message: "m"}
	warning := diag.Finding{ID: "X-002", Severity: diag.Warning, Message: "m"}
	for want, findings := range map[string][]diag.Finding{
		"\n1 error, 0 warnings\n":  {problem},
		"\n0 errors, 1 warning\n":  {warning},
		"\n2 errors, 2 warnings\n": {problem, warning, problem, warning},
	} {
		if got := write(t, "text", findings...); !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want %q last", got, want)
		}
	}
}

var whole = diag.Finding{
	ID: "X-001", Severity: diag.Error, Message: "the message", Path: "a.b", Why: "the why", Fix: "the fix <&>", Source: "the source",
	Position: diag.Position{File: "f.cue", Line: 2, Column: 3, EndColumn: 5, Text: "  ab"},
	Also:     []diag.Place{{Position: diag.Position{File: "g.cue", Line: 4, Column: 1}, Path: "c.d", Note: "the note"}},
}

// Text is never richer than JSON.
func TestJSONSaysAllThatTextSays(t *testing.T) {
	text, document := write(t, "text", whole), write(t, "json", whole)
	for _, part := range []string{"X-001", "error", "the message", "the why", "the fix <&>", "the source", "f.cue", "g.cue", "c.d", "the note"} {
		if !strings.Contains(text, part) {
			t.Errorf("text lacks %q:\n%s", part, text)
		}
		if !strings.Contains(document, part) {
			t.Errorf("JSON lacks %q:\n%s", part, document)
		}
	}
}

func TestJSONReadsBack(t *testing.T) {
	var got struct {
		FormatVersion    int
		Version          string
		Errors, Warnings int
		Findings         diag.List
	}
	if err := json.Unmarshal([]byte(write(t, "json", whole)), &got); err != nil {
		t.Fatal(err)
	}
	if got.FormatVersion != 1 || got.Version != "1.2.3" || got.Errors != 1 || got.Warnings != 0 || len(got.Findings) != 1 {
		t.Errorf("got %+v", got)
	}
	if f := got.Findings[0]; f.Position != whole.Position || f.Also[0] != whole.Also[0] || f.Fix != whole.Fix {
		t.Errorf("got %+v, want %+v", f, whole)
	}
}

// A consumer that loops over findings must not meet null.
func TestJSONOfNothingHasAnEmptyList(t *testing.T) {
	if got := write(t, "json"); !strings.Contains(got, `"findings": []`) {
		t.Errorf("got %s", got)
	}
}

func TestUnknownFormatsAreRefused(t *testing.T) {
	for _, format := range []string{"", "xml", "JSON"} {
		if err := report.Known(format); err == nil {
			t.Errorf("%q is known", format)
		}
		if err := report.Write(&bytes.Buffer{}, format, "1.2.3", nil); err == nil {
			t.Errorf("%q is written", format)
		}
	}
	for _, format := range []string{"text", "json"} {
		if err := report.Known(format); err != nil {
			t.Error(err)
		}
		if !strings.Contains(report.Formats(), format) {
			t.Errorf("%s is not offered in %q", format, report.Formats())
		}
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestAnOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		if err := report.Write(full{}, format, "1.2.3", diag.List{whole}); !errors.Is(err, errFull) {
			t.Errorf("%s: got %v", format, err)
		}
	}
}

// What steers a terminal, forges a line or turns the direction of a text is
// escaped, in every field and format.
func TestNothingHiddenIsWritten(t *testing.T) {
	const bad = "\x1b]0;pwn\a\u009b\u202e\ufeff\x7f"
	finding := diag.Finding{
		ID: "X-001" + bad, Severity: diag.Error, Message: bad + "\nf.cue:1:1: error X-002: forged",
		Position: diag.Position{File: "f" + bad + "\n.cue", Line: 1, Column: 2, EndColumn: 3, Text: bad},
		Path:     bad, Why: bad, Fix: bad, Source: bad,
		Also: []diag.Place{{Position: diag.Position{File: bad, Line: 1, Column: 1, Text: bad}, Path: bad, Note: bad}},
	}
	for _, format := range []string{"text", "json"} {
		got := write(t, format, finding)
		if hidden := diag.Hidden(got); hidden != "" {
			t.Errorf("%s holds %s: %q", format, hidden, got)
		}
		if strings.Contains(got, "\nf.cue:1:1") {
			t.Errorf("%s holds a forged line: %q", format, got)
		}
	}
	var doc struct{ Findings []diag.Finding }
	if err := json.Unmarshal([]byte(write(t, "json", finding)), &doc); err != nil || doc.Findings[0].Why != bad {
		t.Errorf("JSON says %+v (%v)", doc, err)
	}
}
