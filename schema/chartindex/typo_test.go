package chartindex_test

import (
	"slices"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/chartindex"
)

// TestEveryOneLetterTypoIsFound misspells the last key of every path of every
// committed index. In a closed map the result must be unknown, in an open one
// suspicious, and the name that is offered the original or another one that is
// as near.
func TestEveryOneLetterTypoIsFound(t *testing.T) {
	for _, c := range committed(t) {
		if !sample.Draws("typos of "+c.name+c.version, 12) {
			continue
		}
		t.Run(c.name+" "+c.version, func(t *testing.T) {
			x := read(t, c.name, c.version)
			siblings := map[string][]string{}
			for path := range x.Paths() {
				parent := path[:len(path)-1].Pointer()
				siblings[parent] = append(siblings[parent], path[len(path)-1])
			}
			typos, toOriginal, ambiguous, otherKey := 0, 0, 0, 0
			for path := range x.Paths() {
				parent, key := path[:len(path)-1], path[len(path)-1]
				known := siblings[parent.Pointer()]
				want := chartindex.NotKnown
				if above := x.Lookup(parent); above.Value != nil && above.Value.Open {
					want = chartindex.Suspicious
				}
				for _, typo := range misspell(key, letters) {
					if slices.Contains(known, typo) {
						otherKey++ // a typo that is another key of the map is no typo
						continue
					}
					typos++
					match := x.Lookup(append(slices.Clone(parent), typo))
					if match.Kind != want {
						t.Errorf("%s misspelt as %s: got %s, want %s", path.Pointer(), typo, match.Kind, want)
						continue
					}
					if len(match.Nearest) != len(path) || match.Nearest[:len(parent)].Pointer() != parent.Pointer() {
						t.Errorf("%s misspelt as %s: offers %q", path.Pointer(), typo, match.Nearest.Pointer())
						continue
					}
					offered := match.Nearest[len(parent)]
					switch {
					case offered == key:
						toOriginal++
					case slices.Contains(known, offered) && slices.Contains(misspell(offered, typo), typo):
						ambiguous++ // one letter away from two keys
					default:
						t.Errorf("%s misspelt as %s: offers %s", path.Pointer(), typo, offered)
					}
				}
			}
			if typos == 0 {
				t.Fatal("nothing was misspelt")
			}
			t.Logf("%d typos: %.2f%% lead to the original, %d to another key as near; %d were other keys",
				typos, 100*float64(toOriginal)/float64(typos), ambiguous, otherKey)
		})
	}
}

// letters are what is put into a key by mistake; those of the keys themselves
// make the hardest typos.
const letters = "aestP"

// misspell returns all keys that are one letter, left out, added or replaced, or
// two neighbouring letters swapped, away from key.
func misspell(key, letters string) []string {
	var out []string
	for i := range key {
		out = append(out, key[:i]+key[i+1:])
		for _, letter := range letters {
			out = append(out, key[:i]+string(letter)+key[i+1:])
		}
		if i+1 < len(key) {
			out = append(out, key[:i]+key[i+1:i+2]+key[i:i+1]+key[i+2:])
		}
	}
	for i := range len(key) + 1 {
		for _, letter := range letters {
			out = append(out, key[:i]+string(letter)+key[i:])
		}
	}
	out = slices.DeleteFunc(out, func(typo string) bool { return typo == key || typo == "" })
	slices.Sort(out)
	return slices.Compact(out)
}
