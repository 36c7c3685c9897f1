package diag

import "strings"

// OneLine is a text for a message: on one line, and not longer than a person
// reads.
func OneLine(s string) string {
	const most = 160
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
