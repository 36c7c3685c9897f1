package shape

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
)

// lacking is a required field that is missing.
type lacking struct {
	finding diag.Finding
	// path of what lacks it, and its name.
	path []any
	name string
	// suggested is its name in #Suggested.
	suggested string
}

// suggest reports required fields that are missing, with what the rest of the spec makes
// likely: the usual example may contradict it.
func (w *walker) suggest() {
	if len(w.lacking) == 0 {
		return
	}
	spec := w.without()
	for _, l := range w.lacking {
		s := w.schema.engine.Suggested(spec, l.path)
		if field, ok := s[l.suggested]; ok {
			l.finding.Fix = "add " + dataText(map[string]any{l.name: field})
			// So it is the best stand-in as well, about which nothing else is found.
			if above, ok := below(w.spec.Data, l.path); ok {
				above[l.name] = field
			}
			beside, _ := s["beside"].(map[string]any)
			if also, ok := beside[l.suggested].(map[string]any); ok && len(also) > 0 {
				// What is beside a field of a pool's field stands in the pool.
				beside := l.name
				if len(l.path) > 2 {
					beside = source.FieldText(l.path[2:])
				}
				l.finding.Fix += ", and " + dataText(also) + " beside " + beside
			}
		}
		w.report(l.finding)
	}
}

// without is the spec without what stands in for the fields that it lacks.
func (w *walker) without() map[string]any {
	spec, _ := copied(w.spec.Data).(map[string]any)
	for _, l := range w.lacking {
		if above, ok := below(spec, l.path); ok {
			delete(above, l.name)
		}
	}
	return spec
}

// below is the struct at a path of data.
func below(data map[string]any, path []any) (map[string]any, bool) {
	for _, label := range path {
		name, _ := label.(string)
		var ok bool
		if data, ok = data[name].(map[string]any); !ok {
			return nil, false
		}
	}
	return data, true
}

// copied is a copy of data down to its values.
func copied(data any) any {
	fields, ok := data.(map[string]any)
	if !ok {
		return data
	}
	out := make(map[string]any, len(fields))
	for name, value := range fields {
		out[name] = copied(value)
	}
	return out
}

// dataText is data as a person writes it in a spec, on one line; the fields of a struct
// without its braces.
func dataText(data map[string]any) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(data)) {
		value, ok := data[name].(map[string]any)
		text := "{" + dataText(value) + "}"
		if !ok {
			b, err := json.Marshal(data[name])
			if err != nil {
				continue
			}
			text = string(b)
		}
		out = append(out, source.LabelString(name)+": "+text)
	}
	return strings.Join(out, ", ")
}
