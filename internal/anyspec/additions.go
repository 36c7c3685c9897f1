package anyspec

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// Rendered are the objects of gpugen's own that a spec renders, by component.
type Rendered map[string][]map[string]any

// added draws what users add to what a valid spec renders: patches of its objects,
// objects like them and others, what a component needs. Components that aims are about
// come first.
func (s *Source) added(t *rapid.T, spec map[string]any, aims []aim, has Rendered) (made []Change) {
	if len(has) == 0 {
		return nil
	}
	for range rapid.IntRange(1, 3).Draw(t, "number of additions") {
		c := s.addition(t, spec, aims, has)
		made, spec = append(made, c), c.Apply(spec)
	}
	return made
}

func (s *Source) addition(t *rapid.T, spec map[string]any, aims []aim, has Rendered) Change {
	names := slices.Sorted(maps.Keys(has))
	var wanted []string
	for _, a := range aims {
		if a.way[0] == "components" && slices.Contains(names, a.way[1]) {
			wanted = append(wanted, a.way[1])
		}
	}
	component := rapid.SampledFrom(names).Draw(t, "component")
	if len(wanted) > 0 && rapid.Bool().Draw(t, "of an aim") {
		component = rapid.SampledFrom(wanted).Draw(t, "component")
	}
	place := []any{"components", component}
	takes := s.top.child("components").child(component)
	if takes == nil || takes.neverManaged() {
		// A component that follows from the rest of the spec, such as the queues.
		component, place = s.ownComponent(t, spec)
		takes = s.top.child("components").child(component)
	}
	ways := []string{"objects", "needs"}
	if takes.known()["patches"] != nil && len(has[component]) > 0 {
		ways = append(ways, "patches", "patches")
	}
	switch way := rapid.SampledFrom(ways).Draw(t, "way"); way {
	case "patches":
		patches, _ := at(spec, append(slices.Clone(place), way)).([]any)
		return Change{append(place, way, len(patches)), s.patch(t, rapid.SampledFrom(has[component]).Draw(t, "object"))}
	case "needs":
		needs, _ := at(spec, append(slices.Clone(place), way)).([]any)
		others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == component })
		return Change{append(place, way, len(needs)), rapid.SampledFrom(append(others, "prometheus-operator")).Draw(t, "need")}
	}
	name := rapid.SampledFrom([]string{"mine", "more", "Über mich", "a/b", "x.y"}).Draw(t, "object's name")
	return Change{append(place, "objects", name), s.object(t, has)}
}

// ownComponent is the name of a component of the user's, one that is there or a new one.
func (s *Source) ownComponent(t *rapid.T, spec map[string]any) (string, []any) {
	components := s.top.child("components")
	has, _ := spec["components"].(map[string]any)
	names := []string{"my-thing", "x"}
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if components.known()[name] == nil {
			names = append(names, name)
		}
	}
	name := rapid.SampledFrom(names).Draw(t, "own component")
	return name, []any{"components", name}
}

// patch draws a patch of an object: what selects it, in one of the ways there are, and
// what it makes of one of its fields.
func (s *Source) patch(t *rapid.T, object map[string]any) any {
	metadata, _ := object["metadata"].(map[string]any)
	path := rapid.SampledFrom(inner(object)).Draw(t, "field")
	merge := rapid.Bool().Draw(t, "merge")
	if merge {
		// A merge patch replaces lists as a whole.
		if i := slices.IndexFunc(path, func(key any) bool { _, ok := key.(int); return ok }); i >= 0 {
			path = path[:i]
		}
	}
	value, gone := s.other(t, at(object, path))
	var patch any
	switch {
	case merge:
		if gone {
			value = nil
		}
		named := map[string]any{"name": metadata["name"]}
		if metadata["namespace"] != nil {
			named["namespace"] = metadata["namespace"]
		}
		patch = Change{path, value}.Apply(map[string]any{"apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": named})
	case gone:
		patch = []any{map[string]any{"op": "remove", "path": pointer(path)}}
	default:
		patch = []any{map[string]any{"op": rapid.SampledFrom([]string{"replace", "add"}).Draw(t, "op"), "path": pointer(path), "value": value}}
	}
	text := s.text(t, patch)
	if merge && rapid.Bool().Draw(t, "without target") {
		return map[string]any{"patch": text}
	}
	return map[string]any{"target": s.target(t, object, metadata), "patch": text}
}

func (s *Source) text(t *rapid.T, v any) string {
	asJSON, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	if rapid.Bool().Draw(t, "as JSON") {
		return string(asJSON)
	}
	asYAML, err := yaml.JSONToYAML(asJSON)
	if err != nil {
		panic(err)
	}
	return string(asYAML)
}

// target draws what selects an object.
func (s *Source) target(t *rapid.T, object, metadata map[string]any) any {
	apiVersion, _ := object["apiVersion"].(string)
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group, version = "", apiVersion
	}
	out := map[string]any{}
	say := func(field string, value any) {
		if text, _ := value.(string); text != "" && rapid.Bool().Draw(t, "by "+field) {
			if text = regexp.QuoteMeta(text); rapid.IntRange(0, 3).Draw(t, "loosely") == 0 {
				text = strings.TrimRight(text[:(len(text)+1)/2], `\`) + ".*"
			}
			out[field] = text
		}
	}
	say("group", group)
	say("version", version)
	say("kind", object["kind"])
	say("name", metadata["name"])
	say("namespace", metadata["namespace"])
	for _, of := range []string{"labels", "annotations"} {
		field := strings.TrimSuffix(of, "s") + "Selector"
		texts, _ := metadata[of].(map[string]any)
		if len(texts) == 0 || !rapid.Bool().Draw(t, "by "+of) {
			continue
		}
		key := rapid.SampledFrom(slices.Sorted(maps.Keys(texts))).Draw(t, "key")
		out[field] = key
		if value, _ := texts[key].(string); rapid.Bool().Draw(t, "with value") {
			out[field] = key + "=" + value
		}
	}
	if len(out) == 0 {
		out["kind"] = object["kind"]
	}
	return out
}

// object draws an object of a user's: one like those that are rendered, or of a kind
// that users often add.
func (s *Source) object(t *rapid.T, has Rendered) any {
	var all []map[string]any
	for _, component := range slices.Sorted(maps.Keys(has)) {
		all = append(all, has[component]...)
	}
	namespaces := []any{"default"}
	for _, o := range all {
		metadata, _ := o["metadata"].(map[string]any)
		if n := metadata["namespace"]; n != nil && !slices.Contains(namespaces, n) {
			namespaces = append(namespaces, n)
		}
	}
	object := map[string]any{}
	if len(all) > 0 && rapid.Bool().Draw(t, "as one rendered") {
		object = rapid.SampledFrom(all).Draw(t, "like")
		if rapid.Bool().Draw(t, "changed") {
			path := rapid.SampledFrom(inner(object)).Draw(t, "field")
			value, gone := s.other(t, at(object, path))
			if gone {
				value = Gone
			}
			object = Change{path, value}.Apply(object)
		}
	} else if err := yaml.Unmarshal([]byte(rapid.SampledFrom(usual).Draw(t, "usual")), &object); err != nil {
		panic(err)
	}
	object = plain(object).(map[string]any)
	if metadata, ok := object["metadata"].(map[string]any); ok {
		if rapid.IntRange(0, 3).Draw(t, "keep name") > 0 {
			metadata["name"] = rapid.SampledFrom([]string{"mine", "mine-2", "gpu.mine", "a"}).Draw(t, "name")
		}
		if metadata["namespace"] != nil {
			metadata["namespace"] = rapid.SampledFrom(namespaces).Draw(t, "namespace")
		}
	}
	return object
}

// other draws another value in the place of one; gone says to take it away.
func (s *Source) other(t *rapid.T, v any) (other any, gone bool) {
	switch rapid.IntRange(0, 5).Draw(t, "other") {
	case 0:
		return nil, true
	case 1:
		return s.data(t, 1), false
	}
	switch v := v.(type) {
	case map[string]any:
		return with(v, []any{rapid.SampledFrom([]string{"a", "example.com/team", "owner"}).Draw(t, "key")}, s.word(t)), false
	case []any:
		return append(slices.Clone(v), s.word(t)), false
	case bool:
		return !v, false
	case int64, float64:
		return rapid.SampledFrom([]int64{0, 1, 30, 9400}).Draw(t, "number"), false
	}
	return rapid.SampledFrom([]string{s.word(t), "mine", "restricted", "privileged", "a.b"}).Draw(t, "text"), false
}

// inner are the paths within an object below its name and kind.
func inner(object map[string]any) (out [][]any) {
	for _, path := range paths(plain(object), nil) {
		if path[0] == "apiVersion" || path[0] == "kind" || len(path) == 1 && path[0] == "metadata" ||
			len(path) == 2 && path[0] == "metadata" && (path[1] == "name" || path[1] == "namespace") {
			continue
		}
		out = append(out, path)
	}
	return append(out, []any{"metadata", "labels"}, []any{"metadata", "annotations"})
}

// at is what stands at a place; nil if nothing does.
func at(value any, path []any) any {
	for _, key := range path {
		switch key := key.(type) {
		case string:
			m, _ := value.(map[string]any)
			value = m[key]
		case int:
			l, _ := value.([]any)
			if key >= len(l) {
				return nil
			}
			value = l[key]
		}
	}
	return value
}

// pointer is a path as JSON 6902 has it.
func pointer(path []any) string {
	var out strings.Builder
	for _, key := range path {
		text, err := json.Marshal(key)
		if err != nil {
			panic(err)
		}
		if name, ok := key.(string); ok {
			text = []byte(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
		}
		out.WriteString("/" + string(text))
	}
	return out.String()
}
