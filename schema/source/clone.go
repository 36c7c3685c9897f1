package source

// Clone copies a spec's data, or part of it: a tree of maps and lists. What is changed
// in the copy stays as it is in the original.
func Clone[T any](data T) T {
	out, _ := clone(data).(T)
	return out
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = clone(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = clone(element)
		}
		return out
	}
	return v
}
