package generators_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/spectest"
)

// effect is what a spec leads to, in a form that can be compared.
type effect struct {
	files    map[string]string
	findings map[string]bool
	// refused says that the spec is not of the schema, which says nothing of a field.
	refused bool
}

func effectOf(spec map[string]any) effect {
	data, err := yaml.Marshal(spec)
	if err != nil {
		panic(err)
	}
	result, findings := generators.Render(schema.Input{Path: "-", Format: "yaml", Stdin: strings.NewReader(string(data))})
	out := effect{files: map[string]string{}, findings: map[string]bool{}}
	for _, f := range findings {
		out.refused = out.refused || strings.HasPrefix(f.ID, "SPEC-")
		out.findings[f.ID+" "+f.Path+" "+f.Message] = true
	}
	if result != nil && !findings.HasErrors() {
		for _, file := range result.Tree.Files() {
			if file.Path != inventory {
				out.files[file.Path] = string(file.Data)
			}
		}
	}
	return out
}

// base is a spec in testdata/fields. Everything that it says counts there.
type base struct {
	name string
	spec map[string]any
	// effect of the base as it is.
	effect func() effect
}

func fieldBases(t *testing.T) []base {
	t.Helper()
	bases, err := readBases()
	if err != nil || len(bases) == 0 {
		t.Fatal("no base specs", err)
	}
	return bases
}

// readBases is for all tests, so that each base is rendered once.
var readBases = sync.OnceValues(func() ([]base, error) {
	names, err := filepath.Glob("testdata/fields/*.yaml")
	if err != nil {
		return nil, err
	}
	var out []base
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		b := base{name: strings.TrimSuffix(filepath.Base(name), ".yaml")}
		if err := yaml.Unmarshal(data, &b.spec); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b.effect = sync.OnceValue(func() effect { return effectOf(b.spec) })
		out = append(out, b)
	}
	return out, nil
})

// place is where a base says something of a field.
type place struct {
	path  []any
	value any
}

// placesOf lists where a value says something at a path with "*" for any name or
// index. An empty list or map where elements are wanted says nothing.
func placesOf(value any, path []string, at []any) []place {
	if len(path) == 0 {
		return []place{{slices.Clone(at), value}}
	}
	var out []place
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if path[0] == "*" || path[0] == key {
				out = append(out, placesOf(v[key], path[1:], append(at, key))...)
			}
		}
	case []any:
		if path[0] == "*" {
			for i := range v {
				out = append(out, placesOf(v[i], path[1:], append(at, i))...)
			}
		}
	}
	return out
}

// with is a copy of a value with another one at a path; gone removes it.
func with(value any, path []any, to any) any {
	if len(path) == 0 {
		return to
	}
	switch v := value.(type) {
	case map[string]any:
		out := maps.Clone(v)
		if out[path[0].(string)] = with(v[path[0].(string)], path[1:], to); out[path[0].(string)] == gone {
			delete(out, path[0].(string))
		}
		return out
	case []any:
		out := slices.Clone(v)
		i := path[0].(int)
		if out[i] = with(v[i], path[1:], to); out[i] == gone {
			return slices.Delete(out, i, i+1)
		}
		return out
	}
	panic(fmt.Sprintf("nothing at %v", path))
}

// overlaid is a value with a change laid over it, in which null takes a field away.
func overlaid(value, change any) any {
	above, isMap := change.(map[string]any)
	below, wasMap := value.(map[string]any)
	if !isMap || !wasMap {
		return change
	}
	out := maps.Clone(below)
	for key, c := range above {
		if c == nil {
			delete(out, key)
			continue
		}
		out[key] = overlaid(out[key], c)
	}
	return out
}

// valueAt is the value at a path, which must be there.
func valueAt(t *testing.T, value any, path []any) any {
	t.Helper()
	for _, key := range path {
		below, ok := value.(map[string]any)[key.(string)]
		if !ok {
			t.Fatalf("nothing at %v", path)
		}
		value = below
	}
	return value
}

// jointChange is another value of a field of a base, with what must change with it.
type jointChange struct {
	Field, Base string
	Change      any
}

func jointChanges(t *testing.T) []jointChange {
	t.Helper()
	data, err := os.ReadFile("testdata/fields_jointly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var out []jointChange
	if err := yaml.UnmarshalStrict(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// of is the name of the field in the schema.
func (c jointChange) of(t *testing.T) string {
	t.Helper()
	elements := strings.Split(c.Field, ".")
	for _, f := range spectest.Fields(t) {
		if slices.EqualFunc(f.Path, elements, func(want, got string) bool { return want == "*" || want == got }) {
			return f.Name()
		}
	}
	t.Fatalf("%s is no field of the schema", c.Field)
	return ""
}

// gone stands for a field that is left out.
var gone = any(struct{ gone bool }{true})

var lastNumber = regexp.MustCompile(`[0-9]+([^0-9]*)$`)

// tries are values that the schema does not name, but that fit many specs.
var tries = map[string][]any{
	"kubernetes.distribution":      {"k3s", "rke2", "talos", "openshift"},
	"nodePools.*.gpu.model":        {"h200-sxm-141gb", "l40s"},
	"nodePools.*.host.driver":      {"580.95.05"},
	"nodePools.*.rdma.*":           {"vf"},
	"scheduling.frameworks.*":      {"jobset.x-k8s.io/jobset", "pod"},
	"network.rdmaResources.*.name": {"others"},
	"components.*.version":         {"v26.7.0", "v25.10.1"},
	"tenants.*.namespaces.*":       {"elsewhere"},
	"components.*.patches.*.patch": {`[{"op": "add", "path": "/metadata/labels/z", "value": "y"}]`},
}

// others are values to put in the place of one. Of a closed set each must make a
// difference; of the rest it is enough if one does.
func others(f spectest.Field, value any) (out []any, each bool) {
	if len(f.Values) > 0 {
		for _, v := range f.Values {
			if v != fmt.Sprint(value) {
				out = append(out, typed(value, v))
			}
		}
		return out, true
	}
	for _, example := range f.Examples {
		var v any
		if yaml.Unmarshal([]byte(example), &v) == nil && fmt.Sprint(v) != fmt.Sprint(value) {
			out = append(out, v)
		}
	}
	out = append(out, tries[f.Name()]...)
	switch v := value.(type) {
	case float64:
		out = append(out, v+1, v*2+1, v-1)
	case string:
		out = append(out, lastNumber.ReplaceAllStringFunc(v, func(s string) string {
			digits := strings.TrimRight(s, strings.TrimLeft(s, "0123456789"))
			n, _ := strconv.Atoi(digits)
			return strconv.Itoa(n+1) + s[len(digits):]
		}), v+"x", "x"+v)
	}
	return append(out, gone), false
}

// typed is a text of the schema as a value of the type of another.
func typed(like any, text string) any {
	if _, ok := like.(bool); ok {
		return text == "true"
	}
	return text
}
