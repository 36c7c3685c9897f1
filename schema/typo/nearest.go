package typo

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Nearest returns the candidates that a person most likely meant by name: those
// at the least distance, at most three, or none where nothing is near.
func Nearest(name string, candidates []string) []string {
	type scored struct {
		name     string
		distance int
	}
	var near []scored
	for _, c := range candidates {
		if c == name {
			continue
		}
		if d := slips(name, c); d <= allowance(name, c) {
			near = append(near, scored{c, d})
		}
	}
	slices.SortFunc(near, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, s := range near {
		if s.distance == near[0].distance && len(out) < 3 {
			out = append(out, s.name)
		}
	}
	return out
}

// mostNamed is how many names are still worth reading.
const mostNamed = 6

// NearestName is Nearest for names made of words and numbers, such as those of GPU
// models, given with what else each is called. A number is never mistyped: another
// number is another thing. Near is what has all words and numbers that were written,
// of which one word of three letters or more may be mistyped; if it has no other, then
// it alone. Where more are near than is worth reading, none is.
func NearestName(name string, candidates map[string]string) []string {
	written := wordsOf(name)
	if len(written) == 0 || len(name) < 2 {
		return nil
	}
	var same, near, mistyped []string
	for candidate, also := range candidates {
		own := wordsOf(candidate)
		all := append(wordsOf(also), own...)
		missing := slices.DeleteFunc(slices.Clone(written), func(w string) bool { return slices.Contains(all, w) })
		switch {
		case len(missing) == 0 && len(written) == len(own) && !slices.ContainsFunc(own, func(w string) bool { return !slices.Contains(written, w) }):
			same = append(same, candidate)
		case len(missing) == 0 && (hasNumber(written) || strings.HasPrefix(candidate, strings.ToLower(name))):
			near = append(near, candidate)
		case len(missing) == 1 && hasNumber(written) && slices.ContainsFunc(all, func(w string) bool { return slip(missing[0], w) }):
			mistyped = append(mistyped, candidate)
		}
	}
	for _, found := range [][]string{same, near, mistyped} {
		if len(found) > 0 && len(found) <= mostNamed {
			slices.Sort(found)
			return found
		}
	}
	return nil
}

// Family returns the candidates that begin with the same word and the same number as
// name does, such as rtx 4090: other things of one make, none of which was meant.
func Family(name string, candidates []string) []string {
	written := wordsOf(name)
	if len(written) < 2 || !hasNumber(written[1:2]) {
		return nil
	}
	var out []string
	for _, c := range candidates {
		if own := wordsOf(c); len(own) >= 2 && slices.Equal(own[:2], written[:2]) {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

// wordsOf splits a name into its words and its numbers, in lower case.
func wordsOf(name string) []string { return wordOrNumber.FindAllString(strings.ToLower(name), -1) }

var wordOrNumber = regexp.MustCompile(`[a-z]+|[0-9]+`)

func hasNumber(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return w[0] <= '9' })
}

// slip tells whether one word is the other with one letter wrong.
func slip(a, b string) bool {
	return min(len(a), len(b)) >= 3 && a[0] > '9' && b[0] > '9' && Distance(a, b) == 1
}

// slips counts slips, of which any difference in separators alone is one, and
// any difference in case another.
func slips(a, b string) int {
	if plain(a) == plain(b) {
		return 1
	}
	return min(Distance(a, b), Distance(strings.ToLower(a), strings.ToLower(b))+1)
}

// allowance is the distance up to which two names count as near: short names
// are near to everything, long ones may be mistaken in more places.
func allowance(a, b string) int {
	switch n := min(len(a), len(b)); {
	case n <= 3:
		return 1
	case n <= 8:
		return 2
	default:
		return n / 4
	}
}

var withoutMarks = strings.NewReplacer("-", "", "_", "", " ", "", ".", "")

func plain(s string) string { return withoutMarks.Replace(strings.ToLower(s)) }
