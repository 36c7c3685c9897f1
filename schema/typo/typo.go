// Package typo owns how far apart two names are when a person mistypes one, and
// which of several was most likely meant. It must not know which names there are.
package typo

import (
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// Distance counts the letters that were replaced, left out or added between two
// names. Two neighbours that swapped places, and a difference in case only, count
// as one.
func Distance(a, b string) int {
	if swapped(a, b) || a != b && strings.EqualFold(a, b) {
		return 1
	}
	return levenshtein.Distance(a, b, nil)
}

// swapped reports whether b is a with two neighbouring letters in each other's
// place.
func swapped(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}
