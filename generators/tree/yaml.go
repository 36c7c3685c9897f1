package tree

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v2"
)

// AddYAML puts a file into the tree that holds v as YAML, keys sorted, below a
// comment of whole lines.
//
// An error means that v is nothing that YAML can hold.
func (t *Tree) AddYAML(path, comment string, v any) error {
	data, err := Marshal(v)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for line := range bytes.Lines([]byte(comment)) {
		out.WriteString("# ")
		out.Write(line)
	}
	if comment != "" {
		out.WriteByte('\n')
	}
	out.Write(data)
	t.Add(path, out.Bytes())
	return nil
}

// Marshal returns v, as JSON has it, in the YAML of Kubernetes' own tools
// (sigs.k8s.io/yaml), but with the keys by their bytes. The order there puts "a9" before
// "a10", and is none for all keys: of "0755", "0y" and "1e3" each comes before another, so
// their order would be another one in each run.
//
// An error means that JSON cannot hold v.
func Marshal(v any) ([]byte, error) {
	same, ok := ordered(v)
	if !ok {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		read := json.NewDecoder(bytes.NewReader(data))
		read.UseNumber()
		var plain any
		if err := read.Decode(&plain); err != nil {
			return nil, err
		}
		same, _ = ordered(plain)
	}
	return yaml.Marshal(same)
}

// ordered returns v with lists of keys and values for maps; false if it holds what only
// JSON says how to write, such as a struct.
func ordered(v any) (any, bool) {
	switch v := v.(type) {
	case nil, bool, int, int64:
		return v, true
	case string:
		return v, utf8.ValidString(v)
	case json.Number:
		return number(string(v))
	case []any:
		return list(v)
	case []string:
		return list(v)
	case []map[string]any:
		return list(v)
	case map[string]any:
		return object(v)
	case map[string]string:
		return object(v)
	default:
		return nil, false
	}
}

// number takes the first of the types that holds it, as Kubernetes' tools do.
func number(text string) (any, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, true
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

func list[E any](in []E) (any, bool) {
	if in == nil {
		return nil, true
	}
	out := make([]any, len(in))
	for i, e := range in {
		var ok bool
		if out[i], ok = ordered(e); !ok {
			return nil, false
		}
	}
	return out, true
}

func object[E any](in map[string]E) (any, bool) {
	if in == nil {
		return nil, true
	}
	out := make(yaml.MapSlice, 0, len(in))
	for _, key := range slices.Sorted(maps.Keys(in)) {
		value, ok := ordered(in[key])
		if !ok || !utf8.ValidString(key) {
			return nil, false
		}
		out = append(out, yaml.MapItem{Key: key, Value: value})
	}
	return out, true
}
