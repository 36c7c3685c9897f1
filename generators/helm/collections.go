package helm

import (
	"maps"
	"slices"
	"strconv"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// elements returns what a range over a value gives as key and element, and notes
// that the value is gone through.
func (s *scanner) elements(v value) (key, element value) {
	var elements []value
	for _, n := range v.nodes {
		n.ranged = true
		if !n.isMap() {
			elements = append(elements, value{elements: []*node{n}})
			continue
		}
		// A user may add any key, and each of the known ones has its turn.
		elements = append(elements, value{nodes: n.sorted(), elements: []*node{n}})
	}
	if len(v.elements) > 0 {
		elements = append(elements, value{elements: v.elements})
	}
	var keys []text
	for _, name := range slices.Sorted(maps.Keys(v.dict)) {
		keys = append(keys, literal(name))
		elements = append(elements, v.dict[name])
	}
	elements = append(elements, v.items...)
	if len(keys) > 0 {
		key.text = oneOf(keys...)
	}
	switch len(elements) {
	case 0:
		return key, value{}
	case 1:
		return key, elements[0]
	}
	return key, union(elements...)
}

func (s *scanner) elementsOf(args []value) value {
	if len(args) != 1 {
		return value{}
	}
	_, element := s.elements(args[0])
	return element
}

// under returns what lies in a value under the keys that a key may be.
func (s *scanner) under(v, key value) value {
	names, all := key.print().constants()
	if !all || len(names) == 0 {
		_, element := s.elements(v)
		return element
	}
	var options []value
	for _, name := range names {
		if position, err := strconv.Atoi(name); err == nil && key.literal == chartindex.TypeInteger {
			options = append(options, v.position(position))
		} else {
			options = append(options, s.field(v, name, nil))
		}
	}
	if len(options) == 1 {
		return options[0]
	}
	return union(options...)
}

// position returns an element of a list.
func (v value) position(i int) value {
	for _, n := range v.nodes {
		n.hint(chartindex.TypeArray)
	}
	if len(v.nodes) == 0 && i < len(v.items) {
		return v.items[i]
	}
	return union(append(slices.Clone(v.items), value{elements: append(slices.Clone(v.nodes), v.elements...)})...)
}

// index is index COLLECTION KEY...
func (s *scanner) index(args []value) value {
	if len(args) == 0 {
		return value{}
	}
	v := args[0]
	for _, key := range args[1:] {
		v = s.under(v, key)
	}
	return v
}

// get is get MAP KEY.
func (s *scanner) get(args []value) value {
	if len(args) != 2 {
		return value{}
	}
	return s.under(args[0], args[1])
}

func (s *scanner) hasKey(args []value) value {
	s.get(args)
	return value{}
}

// dig is dig KEY... DEFAULT MAP.
func (s *scanner) dig(args []value) value {
	if len(args) < 3 {
		return value{}
	}
	last := len(args) - 1
	v := s.index(append([]value{args[last]}, args[:last-1]...))
	return s.fallback([]value{args[last-1], v})
}

// pluck is pluck KEY MAP...
func (s *scanner) pluck(args []value) value {
	var out value
	for i, v := range args {
		if i > 0 {
			out.items = append(out.items, s.under(v, args[0]))
		}
	}
	return out
}

// keys notes that all keys of a map are looked at.
func (s *scanner) keys(args []value) value {
	var out value
	for _, v := range args {
		key, _ := s.elements(v)
		out.items = append(out.items, key)
		for _, n := range v.nodes {
			n.hint(chartindex.TypeObject)
		}
	}
	return out
}

// omit is omit MAP KEY...: the map without keys that are used on their own.
func (s *scanner) omit(args []value) value {
	if len(args) == 0 {
		return value{}
	}
	for _, key := range args[1:] {
		s.under(args[0], key)
	}
	return args[0]
}

// pick is pick MAP KEY...
func (s *scanner) pick(args []value) value {
	out := value{dict: map[string]value{}}
	if len(args) == 0 {
		return out
	}
	for _, key := range args[1:] {
		names, all := key.print().constants()
		if !all {
			return args[0]
		}
		for _, name := range names {
			out.dict[name] = s.field(args[0], name, nil)
		}
	}
	return out
}

// dict is dict KEY VALUE...
func (s *scanner) dict(args []value) value {
	out := value{dict: map[string]value{}}
	for i := 0; i+1 < len(args); i += 2 {
		put(out, args[i], args[i+1])
	}
	return out
}

// set is set MAP KEY VALUE.
func (s *scanner) set(args []value) value {
	if len(args) != 3 {
		return value{}
	}
	put(args[0], args[1], args[2])
	return args[0]
}

// put adds to what a dict may hold under a key.
func put(v, key, item value) {
	if v.dict == nil {
		return
	}
	names, _ := key.print().constants()
	for _, name := range names {
		if before, ok := v.dict[name]; ok {
			item = union(before, item)
		}
		v.dict[name] = item
	}
}

// list is list ITEM...
func (s *scanner) list(args []value) value { return value{items: args} }

// extend is append LIST ITEM, and the like.
func (s *scanner) extend(args []value) value {
	if len(args) != 2 {
		return union(args...)
	}
	out := union(args[0], value{items: args[1:]})
	out.text = nil
	return out
}
