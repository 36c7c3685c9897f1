package shape

import (
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/source"
)

// elsewhere returns the other places of the schema that have a field of this
// name, at most three.
func (s *Schema) elsewhere(name string) []string {
	s.inventory()
	paths := s.paths[name]
	return paths[:min(len(paths), 3)]
}

// valueOf returns the one place of the schema that takes a word for a value, and the
// value as it is written there: sharing.strategy and "time-slicing" for timeSlicing.
// Words that stand for nothing, or for values of several places, have none.
// Where path, at which the word stands, is in a pool or another struct with a name of
// the user's, so is the place.
func (s *Schema) valueOf(word string, path []any) (place, value string, ok bool) {
	s.inventory()
	places := s.values[plainWord(word)]
	if len(places) != 1 {
		return "", "", false
	}
	labels := strings.Split(places[0].path, ".")
	for i := range min(len(labels), len(path)) {
		name, _ := path[i].(string)
		if strings.HasPrefix(labels[i], "<") {
			labels[i] = source.LabelString(name)
		} else if labels[i] != name {
			break
		}
	}
	return strings.Join(labels, "."), places[0].value, true
}

// placed is a value of a closed set, and the place that takes it.
type placed struct{ path, value string }

// plainWord is a word without what people write differently in it.
func plainWord(word string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(word))
}

// inventory collects the names and values of the schema once.
func (s *Schema) inventory() {
	if s.paths == nil {
		s.paths, s.values = map[string][]string{}, map[string][]placed{}
		s.collect("", "", s.top, 0)
	}
}

func (s *Schema) collect(prefix, name string, at *shape, depth int) {
	// Components share one shape; naming each of them would say nothing more.
	if depth > 8 || prefix == "components" {
		return
	}
	switch {
	case at.isStruct():
		set := at.set()
		for _, n := range slices.Sorted(maps.Keys(set.byName)) {
			if set.byName[n].described {
				continue
			}
			path := strings.TrimPrefix(prefix+"."+source.LabelString(n), ".")
			s.paths[n] = append(s.paths[n], path)
			s.collect(path, n, set.byName[n], depth+1)
		}
		if p := at.anyChild(); p != nil {
			s.collect(prefix+".<"+singular(name)+">", "", p, depth+1)
		}
	case at.isList():
		s.collect(prefix+"[]", "", at.element(), depth+1)
	case at.alias == "":
		for _, value := range at.scalar().enum {
			if word := plainWord(value); len(word) >= 3 {
				s.values[word] = append(s.values[word], placed{prefix, value})
			}
		}
	}
}

// singular makes "pool" from "nodePools".
func singular(name string) string {
	start := 0
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			start = i
		}
	}
	return strings.TrimSuffix(strings.ToLower(name[start:]), "s")
}
