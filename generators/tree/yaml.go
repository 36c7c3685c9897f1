package tree

import (
	"bytes"

	"sigs.k8s.io/yaml"
)

// AddYAML puts a file into the tree that holds v as YAML, keys sorted, below a
// comment of whole lines.
//
// An error means that v is nothing that YAML can hold.
func (t *Tree) AddYAML(path, comment string, v any) error {
	data, err := yaml.Marshal(v)
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
