package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Default is a field that the tree neither sets nor tells Argo CD to ignore, and
// that the server has.
type Default struct {
	// Kind has the API version in front; Path is the field, with [] for any item of
	// a list; Value is JSON.
	Kind, Path, Value string
	// Objects is how many have it.
	Objects int
}

// serverFields are those that every object gets and nobody would render.
var serverFields = []string{"status", "metadata.uid", "metadata.resourceVersion", "metadata.generation", "metadata.creationTimestamp", "metadata.managedFields"}

// changed reports each field that we set and the server has otherwise. Kubernetes'
// own kinds leave out what is empty, which says the same; custom resources are
// stored as they are.
func changed(ours, live map[string]any, custom bool) []slip {
	var out []slip
	compare(ours, live, "", func(path string, mine, theirs any) {
		// null asks for the default.
		said := mine != nil && (custom || theirs != nil || !isEmpty(mine))
		if said && !slices.Contains(serverFields, path) {
			out = append(out, slip{path, fmt.Sprintf("is rendered as %s and the server makes it %s: it drifts for ever", asJSON(mine), asJSON(theirs))})
		}
	}, func(string, any) {})
	return out
}

func isEmpty(value any) bool {
	return slices.Contains([]string{"false", `""`, "0", "{}", "[]"}, asJSON(value))
}

// defaulted reports each field that the server has and we do not set.
func defaulted(ours, live map[string]any) map[string]any {
	out := map[string]any{}
	compare(ours, live, "", func(string, any, any) {}, func(path string, live any) {
		if !slices.Contains(serverFields, path) {
			out[path] = live
		}
	})
	return out
}

// compare walks two values side by side.
func compare(ours, live any, path string, differs func(path string, ours, live any), extra func(path string, live any)) {
	switch mine := ours.(type) {
	case map[string]any:
		theirs, ok := live.(map[string]any)
		if !ok {
			differs(path, ours, live)
			return
		}
		for _, key := range slices.Sorted(maps.Keys(mine)) {
			compare(mine[key], theirs[key], join(path, key), differs, extra)
		}
		for _, key := range slices.Sorted(maps.Keys(theirs)) {
			if _, ok := mine[key]; !ok {
				extra(join(path, key), theirs[key])
			}
		}
	case []any:
		theirs, ok := live.([]any)
		if !ok || len(mine) != len(theirs) {
			differs(path, ours, live)
			return
		}
		for i := range mine {
			compare(mine[i], theirs[i], fmt.Sprintf("%s[%d]", path, i), differs, extra)
		}
	default:
		if !equal(ours, live) {
			differs(path, ours, live)
		}
	}
}

// equal compares scalars. A whole number may be an int64 on one side and a float64
// on the other.
func equal(a, b any) bool {
	return reflect.DeepEqual(a, b) || asJSON(a) == asJSON(b)
}

func join(path, key string) string {
	switch {
	case strings.ContainsAny(key, "./"):
		return path + "[" + key + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

func asJSON(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}

// addDefaults notes what the server filled in. Argo CD compares lists of custom
// resources as a whole, so a field that is filled in within one is a difference
// for ever, unless the Application lets the server compare or ignores the field.
func (r *Report) addDefaults(d *Document, a *application, found map[string]any, custom bool) {
	for _, path := range slices.Sorted(maps.Keys(found)) {
		value := asJSON(found[path])
		if a != nil && (a.owned || a.ignores(d.Object, path)) {
			continue
		}
		if custom && inList(path) && a != nil && !a.serverSideDiff {
			r.add(d, []slip{{path, "is filled in by the server (" + value + ") within a list: Argo CD sees a difference for ever"}})
		}
		one := Default{Kind: d.Object.GetAPIVersion() + " " + d.Object.GetKind(), Path: withoutIndices(path), Value: value, Objects: 1}
		same := slices.IndexFunc(r.Defaulted, func(other Default) bool {
			other.Objects = 1
			return other == one
		})
		if same >= 0 {
			r.Defaulted[same].Objects++
			continue
		}
		r.Defaulted = append(r.Defaulted, one)
	}
}

// ignores tells whether the Application makes Argo CD look away from a field.
func (a *application) ignores(object *unstructured.Unstructured, path string) bool {
	pointer := "/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(path)
	return slices.ContainsFunc(a.ignored, func(one ignored) bool {
		return one.kind == object.GetKind() && slices.ContainsFunc(one.pointers, func(p string) bool {
			return pointer == p || strings.HasPrefix(pointer, p+"/")
		})
	})
}

var index = regexp.MustCompile(`\[\d+\]`)

func inList(path string) bool { return index.MatchString(path) }

func withoutIndices(path string) string { return index.ReplaceAllString(path, "[]") }
