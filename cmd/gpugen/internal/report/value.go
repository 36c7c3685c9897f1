package report

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	_, err := io.WriteString(w, escapeHidden(out.String()))
	return err
}

// escapeHidden writes what a terminal would not show as JSON's escapes.
func escapeHidden(text string) string {
	if diag.Hidden(text) == "" {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if diag.Hidden(string(r)) == "" {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
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
