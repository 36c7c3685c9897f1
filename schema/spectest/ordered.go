package spectest

import (
	"maps"
	"slices"
)

// Ordered is plain data as Write takes it, each mapping as a Tree in the order of its names.
func Ordered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := Tree{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, Branch{Key: key, Value: Ordered(v[key])})
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = Ordered(e)
		}
		return out
	}
	return v
}
