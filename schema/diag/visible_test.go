package diag_test

import (
	"encoding/json"
	"testing"
	"unicode"

	"github.com/gpugen/gpugen/schema/diag"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string][2]string{
		"plain größe 漢字 👍":        {"plain größe 漢字 👍", ""},
		"a\tb":                    {"a\tb", ""},
		"a\nb":                    {`a\nb`, ""},
		"\x1b]0;pwn\a":            {`\x1b]0;pwn\x07`, "U+001B"},
		"del\x7f":                 {`del\x7f`, "U+007F"},
		"c1\u009b":                {`c1\u009b`, "U+009B"},
		"bidi\u202e":              {`bidi\u202e`, "U+202E"},
		"isolate\u2066":           {`isolate\u2066`, "U+2066"},
		"\ufeffbom":               {`\ufeffbom`, "U+FEFF"},
		"line\u2028":              {`line\u2028`, "U+2028"},
		"zero\u200bwidth":         {`zero\u200bwidth`, "U+200B"},
		"joined\u200dletters":     {`joined\u200dletters`, "U+200D"},
		"word\u2060joiner":        {`word\u2060joiner`, "U+2060"},
		"soft\u00adhyphen":        {`soft\u00adhyphen`, "U+00AD"},
		"selected\ufe0f":          {`selected\ufe0f`, "U+FE0F"},
		"selected\U000e0100":      {`selected\U000e0100`, "U+E0100"},
		"tag\U000e0041":           {`tag\U000e0041`, "U+E0041"},
		"filler\u3164":            {`filler\u3164`, "U+3164"},
		"note\ufff9":              {`note\ufff9`, "U+FFF9"},
		"seen \u0600, \U00013430": {"seen \u0600, \U00013430", ""},
		"emoji 👩\u200d💻 👩🏽\u200d🔧 \u2764\ufe0f\u200d🔥 7\ufe0f\u20e3": {"emoji 👩\u200d💻 👩🏽\u200d🔧 \u2764\ufe0f\u200d🔥 7\ufe0f\u20e3", ""},
		"twice \u2764\ufe0f\ufe0f": {"twice \u2764\ufe0f" + `\ufe0f`, "U+FE0F"},
		"end 👩\u200d":              {"end 👩" + `\u200d`, "U+200D"},
		"text 7\ufe0f":             {"text 7" + `\ufe0f`, "U+FE0F"},
		"not utf-8\xff, \uFFFD!":   {`not utf-8\xff, ` + "\uFFFD!", ""},
	} {
		if got := diag.Visible(text); got != want[0] {
			t.Errorf("Visible(%q) is %q, want %q", text, got, want[0])
		}
		if got := diag.Hidden(text); got != want[1] {
			t.Errorf("Hidden(%q) is %q, want %q", text, got, want[1])
		}
	}
}

func TestWhatUnicodeHasProgramsLeaveOutIsHidden(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		// By the definition of Default_Ignorable_Code_Point.
		ignorable := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) &&
			!unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) &&
			(r < 0xFFF9 || r > 0xFFFB) && (r < 0x13430 || r > 0x13440)
		if ignorable && diag.Hidden("a"+string(r)+"b") == "" {
			t.Errorf("U+%04X is not hidden", r)
		}
		if unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S, unicode.Zs) && !ignorable && diag.Hidden(string(r)) != "" {
			t.Errorf("U+%04X is hidden", r)
		}
	}
}

func TestJSONMeansTheSameWithEscapes(t *testing.T) {
	text := "a\u200b b\U000e0041 👩\u200d💻 \u00ad"
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	visible := diag.VisibleJSON(data)
	var back string
	if err := json.Unmarshal(visible, &back); err != nil || back != text {
		t.Errorf("%s means %q (%v), want %q", visible, back, err, text)
	}
	if diag.Hidden(string(visible)) != "" {
		t.Errorf("%s holds %s", visible, diag.Hidden(string(visible)))
	}
}
