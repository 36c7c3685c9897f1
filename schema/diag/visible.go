package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// hidden tells whether a rune steers a terminal, or the direction or the end of a
// line, or has no look of its own, instead of being seen. Line feeds and tabs are layout.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x7f:
		return r < ' '
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case '\uFFF9' <= r && r <= '\uFFFB':
		return true // marks of annotations
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r), 0x13430 <= r && r <= 0x1345F:
		return false // seen, though Unicode counts them as marks of format
	}
	// What Unicode has a program leave out that does not know it
	// (Default_Ignorable_Code_Point), and the marks, embeddings, overrides and isolates of
	// bidirectional text, which are among it.
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Bidi_Control)
}

// Within an emoji, what has no look of its own changes that of its neighbours, and so is
// seen: joiners between two pictures, and what asks for the coloured form of one.
const (
	joiner   = '\u200D'
	coloured = '\uFE0F'
	keycap   = '\u20E3'
)

// runes calls each for each rune of a text, with the bytes that it is made of, and
// whether it is hidden, until that is false.
func runes(text string, each func(r rune, of string, hides bool) bool) {
	last := rune(0) // before this one, of what can be seen
	for i, r := range text {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			size = 1
		}
		hides := hidden(r)
		if hides && last != 0 && (r == joiner || r == coloured) {
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			hides = !inEmoji(last, r, next)
		}
		if !each(r, text[i:i+size], hides) {
			return
		}
		if last = r; hides {
			last = 0
		}
	}
}

// inEmoji tells whether a joiner, or what asks for colour, is part of an emoji.
func inEmoji(last, r, next rune) bool {
	if r == coloured {
		return picture(last) || next == keycap
	}
	return (picture(last) || last == coloured || unicode.Is(unicode.Sk, last)) && picture(next)
}

// picture tells whether a rune is a symbol beyond those of letters, numbers and formulas.
func picture(r rune) bool {
	return r >= 0x203C && r != utf8.RuneError && unicode.In(r, unicode.So, unicode.Sm, unicode.Po)
}

// Hidden returns the name of the first character of a text that nobody sees and
// that could make it look like another, such as "U+202E"; "" if there is none.
func Hidden(text string) string {
	name := ""
	runes(text, func(r rune, _ string, hides bool) bool {
		if hides {
			name = fmt.Sprintf("U+%04X", r)
		}
		return !hides
	})
	return name
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
	runes(text, func(r rune, of string, hides bool) bool {
		switch {
		case r == utf8.RuneError && len(of) == 1:
			fmt.Fprintf(&out, `\x%02x`, of[0])
		case !hides:
			out.WriteString(of)
		case r < 0x80:
			fmt.Fprintf(&out, `\x%02x`, r)
		case r > 0xFFFF:
			fmt.Fprintf(&out, `\U%08x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
		return true
	})
	return out.String()
}

// VisibleJSON is JSON with what nobody sees in its texts written as escapes, which mean
// the same.
func VisibleJSON(data []byte) []byte {
	if Hidden(string(data)) == "" {
		return data
	}
	var out bytes.Buffer
	runes(string(data), func(r rune, of string, hides bool) bool {
		if !hides {
			out.WriteString(of)
			return true
		}
		for _, unit := range utf16.AppendRune(nil, r) { // JSON escapes UTF-16
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
		return true
	})
	return out.Bytes()
}

// Writer escapes what nobody sees in all that goes through it.
type Writer struct{ To io.Writer }

// Write implements io.Writer; each call holds whole lines or at least whole characters.
func (w Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.To, VisibleLines(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
