package report

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/schema/diag"
)

// JSON writes a value as indented JSON. What a terminal would not show is
// escaped, as JSON itself does for the first control characters only.
func JSON(w io.Writer, v any) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(diag.VisibleJSON(out.Bytes()))
	return err
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
