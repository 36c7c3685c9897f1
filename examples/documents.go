package examples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// Documents returns the documents of a YAML stream as they would reach an API
// server: JSON values, with int64 for whole numbers and float64 for others. Empty documents are left out.
// A document that is no mapping, or has a key twice, is an error.
func Documents(stream []byte) ([]map[string]any, error) {
	var out []map[string]any
	for i, text := range split(stream) {
		data, err := yaml.YAMLToJSONStrict(text)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i+1, err)
		}
		if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
			continue
		}
		document, err := decodeObject(data)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i+1, err)
		}
		out = append(out, document)
	}
	return out, nil
}

// split cuts a stream at its document markers. A marker stands at the beginning
// of a line, where no content of a mapping or a block scalar can.
func split(stream []byte) [][]byte {
	var out [][]byte
	var document strings.Builder
	for line := range strings.Lines(string(stream)) {
		if rest, ok := strings.CutPrefix(line, "---"); ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n")) {
			out = append(out, []byte(document.String()))
			document.Reset()
			line = rest
		}
		document.WriteString(line)
	}
	return append(out, []byte(document.String()))
}

func decodeObject(data []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	object, ok := plainNumbers(value).(map[string]any)
	if !ok {
		return nil, errors.New("not a mapping")
	}
	return object, nil
}

// plainNumbers replaces the numbers in a decoded JSON value in place.
func plainNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		if number, err := value.Float64(); err == nil {
			return number
		}
		return value.String()
	case map[string]any:
		for key := range value {
			value[key] = plainNumbers(value[key])
		}
	case []any:
		for i := range value {
			value[i] = plainNumbers(value[i])
		}
	}
	return value
}
