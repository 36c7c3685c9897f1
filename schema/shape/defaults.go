package shape

// complete returns data with the schema's defaults for what the user left out;
// data itself is not changed. Optional fields stay absent.
//
// The knowledge base reads the result as plain data: unified with #Spec once
// more at each reference, its disjunctions would cost as much as all templates.
func (s *shape) complete(data any) any {
	switch {
	case s.isStruct():
		m, ok := data.(map[string]any)
		if data != nil && !ok {
			return data
		}
		return s.completeStruct(m)
	case s.isList():
		list, _ := data.([]any)
		out := make([]any, len(list))
		for i, element := range list {
			out[i] = s.element().complete(element)
		}
		return out
	default:
		return data
	}
}

func (s *shape) completeStruct(data map[string]any) map[string]any {
	set := s.set()
	out := make(map[string]any, len(set.order)+len(data))
	for name, value := range data {
		c := set.byName[name]
		if c == nil && !set.open {
			c = s.child(name)
		}
		if c == nil {
			out[name] = value
			continue
		}
		out[name] = c.complete(value)
	}
	for _, name := range set.order {
		c := set.byName[name]
		if _, ok := out[name]; ok || c.optional || c.required {
			continue
		}
		if c.isStruct() || c.isList() {
			out[name] = c.complete(nil)
		} else if l := c.scalar(); l.hasDefault {
			out[name] = l.defaultData()
		}
	}
	return out
}

// defaultData is the default as data.
func (l *leaf) defaultData() any {
	var out any
	if err := l.def.Decode(&out); err != nil {
		return nil
	}
	return out
}
