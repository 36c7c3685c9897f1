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
	if s.paths == nil {
		s.paths = map[string][]string{}
		s.collect("", "", s.top, 0)
	}
	paths := s.paths[name]
	return paths[:min(len(paths), 3)]
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
