package chartindex

import (
	"slices"

	"github.com/gpugen/gpugen/schema/typo"
)

// limit is the largest distance at which a key of this length may still be meant:
// one letter in a short one, a third of a long one.
func limit(key string) int { return max(1, len([]rune(key))/3) }

// slip returns the key of e that is one slip away from key, or "".
func (e *entry) slip(key string) string {
	for _, candidate := range e.keys {
		if typo.Distance(candidate, key) == 1 {
			return candidate
		}
	}
	return ""
}

// nearest returns the known path that may have been meant with path, whose key
// at the given index is not known below e: that of a sibling with a similar name
// or, failing that, one elsewhere in the chart that ends in the same keys.
func (x *Index) nearest(e *entry, path []string, at int) Path {
	if sibling := e.similar(path[at], path[at+1:]); sibling != "" {
		return e.follow(append(slices.Clone(path[:at]), sibling), path[at+1:])
	}
	return x.sameEnding(path)
}

// similar returns the key of e that looks most like key. Of several that are
// equally like it, one below which the rest of the path is known is the better
// guess.
func (e *entry) similar(key string, rest []string) string {
	best, bestCost := "", 0
	for _, candidate := range e.keys {
		d := typo.Distance(candidate, key)
		if d > limit(key) {
			continue
		}
		cost := 2 * d
		if !e.children[candidate].has(rest) {
			cost++
		}
		if best == "" || cost < bestCost {
			best, bestCost = candidate, cost
		}
	}
	return best
}

func (e *entry) has(path []string) bool {
	for _, key := range path {
		if e = e.children[key]; e == nil {
			return false
		}
	}
	return true
}

// follow continues the known path prefix, whose last key is one of e's, with the
// keys of rest, as far as each is known or looks like one that is.
func (e *entry) follow(prefix Path, rest []string) Path {
	e = e.children[prefix[len(prefix)-1]]
	for i, key := range rest {
		if e.children[key] == nil {
			key = e.similar(key, rest[i+1:])
		}
		if key == "" {
			break
		}
		prefix = append(prefix, key)
		e = e.children[key]
	}
	return prefix
}

// sameEnding returns the known path that shares the most last keys with path,
// the shallowest of them; none if that leaves several, since any one would be a
// guess.
func (x *Index) sameEnding(path []string) Path {
	var best Path
	bestShared, tied := 0, false
	for candidate := range x.Paths() {
		shared := 0
		for shared < len(path) && shared < len(candidate) &&
			path[len(path)-1-shared] == candidate[len(candidate)-1-shared] {
			shared++
		}
		switch {
		case shared == 0 || shared < bestShared:
		case shared > bestShared || len(candidate) < len(best):
			best, bestShared, tied = candidate, shared, false
		case len(candidate) == len(best):
			tied = true
		}
	}
	if tied {
		return nil
	}
	return best
}
