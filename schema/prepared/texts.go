package prepared

import "strings"

// texts are the strings of a writer, one after the other, each once.
type texts struct {
	places map[string]int
	all    strings.Builder
}

// place says where a string begins in the text.
func (t *texts) place(s string) int {
	if s == "" {
		return 0
	}
	at, ok := t.places[s]
	if !ok {
		if t.places == nil {
			t.places = map[string]int{}
		}
		at = t.all.Len()
		t.places[s] = at
		t.all.WriteString(s)
	}
	return at
}
