package examples

import (
	"fmt"
	"strings"
)

// PageObjects returns the objects that a Markdown page shows as YAML, in their
// order, as Documents does. A block that is no YAML is an error that names its line.
func PageObjects(page string) ([]map[string]any, error) {
	var out []map[string]any
	var block *strings.Builder
	begin, number := 0, 0
	for line := range strings.Lines(page) {
		number++
		switch {
		case block == nil && strings.TrimSpace(line) == "```yaml":
			block, begin = &strings.Builder{}, number
		case block != nil && strings.TrimSpace(line) == "```":
			objects, err := Documents([]byte(block.String()))
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", begin, err)
			}
			out, block = append(out, objects...), nil
		case block != nil:
			block.WriteString(line)
		}
	}
	if block != nil {
		return nil, fmt.Errorf("line %d: the code does not end", begin)
	}
	return out, nil
}
