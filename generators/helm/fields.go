package helm

import (
	"maps"
	"slices"
	"strings"
)

// fieldSchema is what a CRD says of a field, as far as the field's place and type go.
type fieldSchema struct {
	Type        string                  `json:"type"`
	Format      string                  `json:"format"`
	IntOrString bool                    `json:"x-kubernetes-int-or-string"`
	Any         bool                    `json:"x-kubernetes-preserve-unknown-fields"`
	Properties  map[string]*fieldSchema `json:"properties"`
	Items       *fieldSchema            `json:"items"`
	// Additional is a schema, or a boolean.
	Additional any `json:"additionalProperties"`
}

// leaves collects the fields that have no fields of their own, each with its type. Of
// lists and of maps with any key, [] and * stand for each element.
func (s *fieldSchema) leaves(at string, out map[string]string) {
	switch {
	case s == nil:
	case len(s.Properties) > 0:
		for name, below := range s.Properties {
			below.leaves(strings.TrimPrefix(at+"."+name, "."), out)
		}
	case s.Items != nil:
		s.Items.leaves(at+"[]", out)
	case s.Additional != nil && s.Additional != false && s.Additional != true:
		schemaOf(s.Additional).leaves(at+".*", out)
	default:
		out[at] = s.text()
	}
}

// text is the type in words.
func (s *fieldSchema) text() string {
	switch {
	case s.IntOrString:
		return "integer or string"
	case s.Any:
		return "anything"
	case s.Type == "":
		return "of any type"
	case s.Format != "":
		return s.Type + " (" + s.Format + ")"
	}
	return s.Type
}

// schemaOf is the schema of the values of a map, of which leaves are asked only for
// their types.
func schemaOf(v any) *fieldSchema {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	out := &fieldSchema{}
	out.Type, _ = m["type"].(string)
	out.Format, _ = m["format"].(string)
	out.IntOrString, _ = m["x-kubernetes-int-or-string"].(bool)
	out.Any, _ = m["x-kubernetes-preserve-unknown-fields"].(bool)
	if properties, ok := m["properties"].(map[string]any); ok {
		out.Properties = map[string]*fieldSchema{}
		for name, below := range properties {
			out.Properties[name] = schemaOf(below)
		}
	}
	if items, ok := m["items"]; ok {
		out.Items = schemaOf(items)
	}
	out.Additional = m["additionalProperties"]
	return out
}

// FieldChanges are the fields of a served version of a CRD that are different in a later
// chart: each with its type, or both.
type FieldChanges struct {
	// CRD is its name and version.
	CRD     string   `json:"crd"`
	Gone    []string `json:"gone"`
	Added   []string `json:"added"`
	Changed []string `json:"changed"`
}

// CompareFields says which fields of CRDs that both charts have are different in c.
func (c *Chart) CompareFields(before *Chart) []FieldChanges {
	out := []FieldChanges{}
	for _, crd := range slices.Sorted(maps.Keys(c.top.fields)) {
		was, ok := before.top.fields[crd]
		if !ok {
			continue
		}
		is := c.top.fields[crd]
		change := FieldChanges{CRD: crd, Gone: []string{}, Added: []string{}, Changed: []string{}}
		for _, path := range slices.Sorted(maps.Keys(was)) {
			switch now, ok := is[path]; {
			case !ok:
				change.Gone = append(change.Gone, path+" ("+was[path]+")")
			case now != was[path]:
				change.Changed = append(change.Changed, path+": "+was[path]+" -> "+now)
			}
		}
		for _, path := range slices.Sorted(maps.Keys(is)) {
			if _, ok := was[path]; !ok {
				change.Added = append(change.Added, path+" ("+is[path]+")")
			}
		}
		if len(change.Gone)+len(change.Added)+len(change.Changed) > 0 {
			out = append(out, change)
		}
	}
	return out
}
