package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/typo"
)

// nearest returns the candidates that a person most likely meant by name: those
// at the least distance, at most three, or none where nothing is near.
func nearest(name string, candidates []string) []string {
	type scored struct {
		name     string
		distance int
	}
	var near []scored
	for _, c := range candidates {
		if c == name {
			continue
		}
		if d := distance(name, c); d <= allowance(name, c) {
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

// nearestName is nearest for names of things with several parts, such as GPU
// models: those that begin with what was written come first.
func nearestName(name string, candidates []string) []string {
	var out []string
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if len(name) >= 2 && len(out) < 3 && strings.HasPrefix(c, strings.ToLower(name)) {
			out = append(out, c)
		}
	}
	if len(out) > 0 {
		return out
	}
	return nearest(name, candidates)
}

// distance counts slips, of which any difference in separators alone is one, and
// any difference in case another.
func distance(a, b string) int {
	if plain(a) == plain(b) {
		return 1
	}
	return min(typo.Distance(a, b), typo.Distance(strings.ToLower(a), strings.ToLower(b))+1)
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

// quotedOr renders names as "a", "b" or "c".
func quotedOr(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quote(n)
	}
	if n := len(quoted); n > 1 {
		return strings.Join(quoted[:n-1], ", ") + " or " + quoted[n-1]
	}
	return strings.Join(quoted, "")
}
