package report

import (
	"encoding/json"
	"io"
	"strings"

	"sigs.k8s.io/yaml"
)

// JSON writes a value as indented JSON.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// YAML returns a value as YAML, indented by two spaces.
func YAML(v any) (string, error) {
	data, err := yaml.Marshal(v)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		out.WriteString("  " + line)
	}
	return out.String(), nil
}
