package diag_test

import (
	"testing"

	"github.com/gpugen/gpugen/schema/diag"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string][2]string{
		"plain größe 漢字 👍":       {"plain größe 漢字 👍", ""},
		"a\tb":                   {"a\tb", ""},
		"a\nb":                   {`a\nb`, ""},
		"\x1b]0;pwn\a":           {`\x1b]0;pwn\x07`, "U+001B"},
		"del\x7f":                {`del\x7f`, "U+007F"},
		"c1\u009b":               {`c1\u009b`, "U+009B"},
		"bidi\u202e":             {`bidi\u202e`, "U+202E"},
		"isolate\u2066":          {`isolate\u2066`, "U+2066"},
		"\ufeffbom":              {`\ufeffbom`, "U+FEFF"},
		"line\u2028":             {`line\u2028`, "U+2028"},
		"not utf-8\xff, \uFFFD!": {`not utf-8\xff, ` + "\uFFFD!", ""},
	} {
		if got := diag.Visible(text); got != want[0] {
			t.Errorf("Visible(%q) is %q, want %q", text, got, want[0])
		}
		if got := diag.Hidden(text); got != want[1] {
			t.Errorf("Hidden(%q) is %q, want %q", text, got, want[1])
		}
	}
}
