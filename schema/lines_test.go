package schema

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

// A line of a template or rule can be read at a glance: where one is longer than
// longestLine, a tab counting four, what is not between quotes is at most
// longestCode.
const longestLine, longestCode = 140, 100

func TestLinesOfTemplatesAndRulesAreShort(t *testing.T) {
	files := 0
	for _, src := range Sources() {
		if dir := path.Dir(src.Path); dir != "templates" && dir != "schema/rules" {
			continue
		}
		files++
		for _, line := range longLines(string(src.Data)) {
			t.Errorf("%s: break the line before a clause (for, if, let) or behind a bracket: %s", src.Path, strings.TrimSpace(line))
		}
	}
	if files < 200 {
		t.Fatal("few files seen:", files)
	}
}

func TestWhatIsBetweenQuotesDoesNotMakeALineLong(t *testing.T) {
	text, code := strings.Repeat("x", longestLine), strings.Repeat("if a ", longestLine/5)
	for line, long := range map[string]bool{
		"\tfound: [for a in b " + code + " {a}]":                        true,
		"\t\"" + text + "\": [for a in b " + code + " {a}]":             true,
		"\twhy: \"" + text + "\"":                                       false,
		"\tmessage: \"\\([if a {\"" + text + "\"}, b][0])\"":            false,
		"\ttext: \"\"\"\n" + strings.Repeat("echo x ", 40) + "\n\"\"\"": false,
		"// " + text: true,
	} {
		if got := len(longLines(line)) > 0; got != long {
			t.Errorf("long is %v, want %v: %s", got, long, line)
		}
	}
}

// longLines are the lines of a CUE file that are too long; blocks of text are not
// looked at.
func longLines(text string) []string {
	var out []string
	block := false
	for line := range strings.SplitSeq(text, "\n") {
		inBlock := block
		if strings.Count(line, `"""`)%2 == 1 {
			block = !block
		}
		width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
		if !inBlock && !block && width > longestLine && width-quoted(line) > longestCode {
			out = append(out, line)
		}
	}
	return out
}

// quoted is how many characters of a line are between quotes.
func quoted(line string) int {
	if strings.HasPrefix(strings.TrimSpace(line), "//") {
		return 0
	}
	n := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '"' {
			end := stringEnd(line[i:])
			n += utf8.RuneCountInString(line[i : i+end])
			i += end - 1
		}
	}
	return n
}

// stringEnd is the length of the string that a text begins with.
func stringEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return i + 1
		case strings.HasPrefix(s[i:], `\(`):
			i += 1 + bracketsEnd(s[i+1:]) - 1
		case s[i] == '\\':
			i++
		}
	}
	return len(s)
}

// bracketsEnd is the length of the expression in brackets that a text begins with.
func bracketsEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			i += stringEnd(s[i:]) - 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
