package rendered

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema"
)

// fields compares what belongs to Argo CD with the fields that its CRDs have.
func (t *tree) fields() {
	for _, f := range t.sorted() {
		for _, d := range f.docs {
			gk := groupKindOf(d.object)
			if gk.group != argoGroup {
				continue
			}
			known, ok := t.known.fields[gk.kind].(map[string]any)
			if !ok {
				continue
			}
			t.compare(f, d.node, known)
		}
	}
}

// compare walks a mapping beside the fields that it may have: of a mapping those by
// name, "*" for any; of a list what each item has; true where anything goes.
func (t *tree) compare(f *file, n *yaml.Node, known any) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch known := known.(type) {
	case map[string]any:
		if n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			next, ok := known[key.Value]
			if !ok {
				next, ok = known["*"]
			}
			if ok {
				t.compare(f, n.Content[i+1], next)
				continue
			}
			x := t.add(unknownField.At(f.position(key), "", "unknown field %s", key.Value))
			var names []string
			for name := range known {
				names = append(names, name)
			}
			if near := schema.Nearest(key.Value, names); len(near) > 0 {
				x.Fix = "write " + strings.Join(near, " or ")
			}
		}
	case []any:
		if n.Kind == yaml.SequenceNode && len(known) == 1 {
			for _, c := range n.Content {
				t.compare(f, c, known[0])
			}
		}
	}
}

// applicationName is what Kubernetes takes, and Argo CD can write into a label.
var applicationName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

// names checks that each Application has a name of its own that can be one.
func (t *tree) names() {
	seen := map[string]*application{}
	for _, a := range t.applications {
		at := a.at("metadata", "name")
		switch {
		case a.name == "":
			t.add(badApplicationName.At(at, "", "an Application without a name"))
			continue
		case len(a.name) > 63:
			t.add(badApplicationName.At(at, "", "%s has %d characters, more than 63", a, len(a.name)))
		case !applicationName.MatchString(a.name):
			t.add(badApplicationName.At(at, "", "%s: a name is of small letters, digits, dashes and dots", a))
		}
		if other, ok := seen[a.namespace+"/"+a.name]; ok {
			if a.set != nil && a.set == other.set {
				continue // the set's finding
			}
			x := t.add(badApplicationName.At(at, "", "two Applications are called %s", a.name))
			x.Also = also("the other one", other.at("metadata", "name"))
			continue
		}
		seen[a.namespace+"/"+a.name] = a
	}
}
