package chartindex

import (
	"iter"
	"maps"
	"slices"
)

// MatchKind says what the index knows about a path.
type MatchKind string

// The kinds of a match.
const (
	// Known: the chart has or reads the path.
	Known MatchKind = "known"
	// Open: the path lies in a map that takes any key, or in an array.
	Open MatchKind = "open"
	// Suspicious: like Open, but a key is one slip away from one that is known in
	// that map.
	Suspicious MatchKind = "suspicious"
	// NotKnown: the chart neither has nor reads the path, so that it has no
	// effect.
	NotKnown MatchKind = "unknown"
)

// Match is the answer to Lookup.
type Match struct {
	Kind MatchKind
	// Value is what is known about the path itself or, unless it is known, about
	// the deepest known path above it: the map or array that holds the first key
	// that is not known. It is nil above the chart's topmost keys.
	Value *Value
	// At is the index in the path of the first key that is not known.
	At int
	// Nearest is a known path that may have been meant, for Suspicious always,
	// for NotKnown if there is one; else nil.
	Nearest Path
}

// Lookup says whether the chart knows a values path. Anything below an array is
// Open: its elements are not described.
func (x *Index) Lookup(path []string) Match {
	e, at := x.tree(), 0
	for ; at < len(path); at++ {
		child := e.children[path[at]]
		if child == nil {
			break
		}
		e = child
	}
	match := Match{Kind: Known, Value: e.value, At: at}
	switch {
	case at == len(path):
	case e.takesAnyKey():
		match.Kind = Open
		if slip := e.slip(path[at]); slip != "" {
			match.Kind = Suspicious
			match.Nearest = e.follow(append(slices.Clone(path[:at]), slip), path[at+1:])
		}
	default:
		match.Kind = NotKnown
		match.Nearest = x.nearest(e, path, at)
	}
	return match
}

// Paths goes through all values in the order of their paths.
func (x *Index) Paths() iter.Seq2[Path, *Value] { return x.walk(func(*entry) bool { return true }) }

// Leaves goes through the values below which nothing is known.
func (x *Index) Leaves() iter.Seq2[Path, *Value] {
	return x.walk(func(e *entry) bool { return len(e.children) == 0 })
}

func (x *Index) walk(wanted func(*entry) bool) iter.Seq2[Path, *Value] {
	return func(yield func(Path, *Value) bool) {
		x.tree().walk(wanted, yield)
	}
}

// entry is a value with what lies below it. The root has no value.
type entry struct {
	value    *Value
	children map[string]*entry
	// keys are those of the children, sorted.
	keys []string
}

func (x *Index) tree() *entry {
	x.once.Do(func() {
		x.root = &entry{}
		for i := range x.Values {
			x.root.add(x.Values[i].Path, &x.Values[i])
		}
		x.root.sortKeys()
	})
	return x.root
}

func (e *entry) add(path Path, v *Value) {
	for i, key := range path {
		child := e.children[key]
		if child == nil {
			// A path without an entry of its own is a map: something is below it.
			child = &entry{value: &Value{Path: path[:i+1], Type: TypeObject, Origin: v.Origin}}
			if e.children == nil {
				e.children = map[string]*entry{}
			}
			e.children[key] = child
		}
		e = child
	}
	e.value = v
}

func (e *entry) walk(wanted func(*entry) bool, yield func(Path, *Value) bool) bool {
	for _, key := range e.keys {
		child := e.children[key]
		if wanted(child) && !yield(child.value.Path, child.value) {
			return false
		}
		if !child.walk(wanted, yield) {
			return false
		}
	}
	return true
}

func (e *entry) sortKeys() {
	e.keys = slices.Sorted(maps.Keys(e.children))
	for _, child := range e.children {
		child.sortKeys()
	}
}

func (e *entry) takesAnyKey() bool {
	return e.value != nil && (e.value.Open || e.value.Type == TypeArray)
}
