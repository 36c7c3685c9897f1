package typo

import (
	"cmp"
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

// NearestName is Nearest for names of things with several parts, such as GPU
// models: those that begin with what was written come first.
func NearestName(name string, candidates []string) []string {
	var out []string
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if len(name) >= 2 && len(out) < 3 && strings.HasPrefix(c, strings.ToLower(name)) {
			out = append(out, c)
		}
	}
	if len(out) > 0 {
		return out
	}
	return Nearest(name, candidates)
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

func plain(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "", ".", "").Replace(strings.ToLower(s))
}
