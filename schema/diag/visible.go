package diag

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// hidden tells whether a rune steers a terminal, or the direction or the end of a
// line, instead of being seen. Line feeds and tabs are layout.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == '\uFEFF':
		return true
	}
	// Marks, embeddings, overrides and isolates of bidirectional text.
	return unicode.Is(unicode.Bidi_Control, r)
}

// Hidden returns the name of the first character of a text that nobody sees and
// that could make it look like another, such as "U+202E"; "" if there is none.
func Hidden(text string) string {
	for _, r := range text {
		if hidden(r) {
			return fmt.Sprintf("U+%04X", r)
		}
	}
	return ""
}

// Visible replaces what nobody sees in a text, and what is not UTF-8, by escapes.
// Line feeds become \n, so that one text is one line.
func Visible(text string) string {
	return strings.ReplaceAll(VisibleLines(text), "\n", `\n`)
}

// VisibleLines is Visible for a text of several lines.
func VisibleLines(text string) string {
	if Hidden(text) == "" && utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&out, `\x%02x`, text[i])
		case !hidden(r):
			out.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&out, `\x%02x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// VisibleJSON is JSON with what nobody sees in its texts written as escapes, which mean
// the same.
func VisibleJSON(data []byte) []byte {
	if Hidden(string(data)) == "" {
		return data
	}
	var out bytes.Buffer
	for _, r := range string(data) {
		if !hidden(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) { // JSON escapes UTF-16
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.Bytes()
}
