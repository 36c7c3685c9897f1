// Package importing makes a spec of what people have already: Helm values, nodes and
// other objects of Kubernetes. What becomes which field is known to package
// schema/imported; here the spec is tried, and what it does not derive by itself is
// kept as an override. It must not know any component by name, nor write files.
package importing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// Result is a spec, and what became of all that was read.
type Result struct {
	Spec map[string]any
	// Took, Kept and Left say what fields took over, what is kept as an override, and
	// what could not be carried; Todo what is left to fill in.
	Took []Took
	Kept []Kept
	Left []Left
	Todo []Todo
	// Findings about the spec as it is.
	Findings diag.List
}

// Took is a thing that a field says, or that follows from the spec if Field is empty.
type Took struct{ From, Field string }

// Kept is a value that is kept as an override.
type Kept struct {
	Component string
	Path      chartindex.Path
	Value     any
}

// Text names the override and its value.
func (k Kept) Text() string {
	return fmt.Sprintf("%s: %s = %s", k.Component, strings.Join(k.Path, "."), short(k.Value))
}

// Left is a thing that the spec does not say.
type Left struct{ What, Why string }

// Todo is a field that holds a guess or a placeholder.
type Todo struct {
	Field []string
	What  string
}

// unusual names what of the input cannot be read even alone: of values all, of objects one.
func unusual(in schema.ToImport) string {
	readable := func(objects []any, values map[string]any) bool {
		_, err := schema.Import(schema.ToImport{Name: in.Name, Objects: objects, Values: values, Releases: []schema.Release{}, Carried: in.Carried})
		return err == nil
	}
	var found []string
	for _, component := range slices.Sorted(maps.Keys(in.Values)) {
		if !readable([]any{}, map[string]any{component: in.Values[component]}) {
			found = append(found, "the values of "+component)
		}
	}
	objects := in.Objects
	if len(objects) > 0 && !readable(objects, map[string]any{}) {
		for len(objects) > 1 {
			first, second := objects[:len(objects)/2], objects[len(objects)/2:]
			switch {
			case !readable(first, map[string]any{}):
				objects = first
			case !readable(second, map[string]any{}):
				objects = second
			default: // they contradict each other
				return strings.Join(append(found, "objects from "+called(first[0])+" on"), ", ")
			}
		}
		found = append(found, called(objects[0]))
	}
	if len(found) == 0 {
		return "values and objects, taken together"
	}
	return strings.Join(found, ", ")
}

// called is what people call an object.
func called(object any) string {
	fields, _ := object.(map[string]any)
	metadata, _ := fields["metadata"].(map[string]any)
	return diag.Visible(fmt.Sprintf("%v %v", fields["kind"], metadata["name"]))
}

// maxTries bounds how often overrides that do not fit are taken out; each try takes
// out all that are found at once.
const maxTries = 5

// limits are those of a spec: what is read may be as large.
var limits = watchdog.Limits{Time: schema.DefaultTime, Heap: schema.DefaultMemory}

// Make makes a spec.
//
// An error means that an object has not the form that it usually has, or that no spec
// can be tried, or that the context ended first: then evaluations may go on, and the
// process should end.
func Make(ctx context.Context, read *Read, name string) (*Result, error) {
	carried, err := carriedVersions()
	if err != nil {
		return nil, err
	}
	in := schema.ToImport{Name: name, Objects: read.Objects, Values: read.Values, Releases: read.Releases, Carried: carried}
	var (
		knows *schema.Imported
		over  diag.Finding
		ended bool
	)
	if !watchdog.Until(ctx, func() {
		over, ended = watchdog.Run(limits, "what is in the files", func() { knows, err = schema.Import(in) })
	}) {
		return nil, ctx.Err()
	}
	if ended {
		return nil, errors.New(over.Message + "; import a part of it")
	}
	if err != nil {
		return nil, fmt.Errorf("not of the usual form: %s: %w", unusual(in), err)
	}
	r := &Result{Spec: withoutEmpty(knows.Spec)}
	for _, t := range knows.Took {
		r.Took = append(r.Took, Took(t))
	}
	for _, l := range knows.Left {
		r.Left = append(r.Left, Left(l))
	}
	for _, t := range knows.Todo {
		r.Todo = append(r.Todo, Todo(t))
	}
	dir, err := os.MkdirTemp("", "gpugen-import-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	try := &trial{file: filepath.Join(dir, "cluster.json"), result: r}
	if err := try.run(ctx); err != nil {
		return nil, err
	}
	try.compare(knows)
	for range maxTries {
		try.override()
		if err := try.run(ctx); err != nil {
			return nil, err
		}
		if !try.takeOut() {
			break
		}
	}
	r.Findings = try.findings
	return r, nil
}

// carriedVersions are the chart versions that gpugen carries, the preferred one first.
func carriedVersions() (map[string][]string, error) {
	known, err := schema.Known()
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, c := range known.Components {
		out[c.Name] = c.Versions
	}
	return out, nil
}

// trial evaluates the spec as it is so far.
type trial struct {
	file       string
	result     *Result
	components []plan.Component
	findings   diag.List
}

func (t *trial) run(ctx context.Context) error {
	data, err := json.Marshal(t.result.Spec)
	if err != nil {
		return err
	}
	if err := os.WriteFile(t.file, data, 0o600); err != nil {
		return err
	}
	var cluster *schema.Cluster
	var findings diag.List
	if !watchdog.Until(ctx, func() { cluster, findings = schema.Evaluate(schema.Input{Path: t.file}) }) {
		return ctx.Err()
	}
	t.findings, t.components = findings, nil
	if cluster == nil {
		return nil
	}
	// With findings that are errors, a template may not be concrete.
	if p, err := plan.New(cluster); err == nil {
		t.components = p.Components
	}
	return nil
}

// compare says of each value whether the spec derives it, and keeps the others.
func (t *trial) compare(knows *schema.Imported) {
	for _, name := range slices.Sorted(maps.Keys(knows.Values)) {
		var releases []plan.Component
		for _, c := range t.components {
			if c.Of == name {
				releases = append(releases, c)
			}
		}
		for _, leaf := range leaves(nil, knows.Values[name]) {
			t.compareLeaf(name, leaf, releases, knows.Fields[name])
		}
	}
}

func (t *trial) compareLeaf(component string, leaf Kept, releases []plan.Component, fields map[string]string) {
	leaf.Component = component
	what := leaf.Text()
	if len(releases) == 0 {
		t.result.Left = append(t.result.Left, Left{what, "the spec renders no " + component})
		return
	}
	derived, set := at(releases[0].Values, leaf.Path)
	index := releases[0].Index
	switch {
	case set && same(derived, leaf.Value):
		field := ""
		for n := len(leaf.Path); n > 0 && field == ""; n-- {
			field = fields[strings.Join(leaf.Path[:n], ".")]
		}
		t.result.Took = append(t.result.Took, Took{what, field})
	case !set && isDefault(index, leaf):
		t.result.Took = append(t.result.Took, Took{what, "the chart's default"})
	case index != nil && index.Lookup(leaf.Path).Kind == chartindex.NotKnown:
		t.result.Left = append(t.result.Left, Left{what, fmt.Sprintf("chart %s %s has no such value", index.Chart.Name, index.Chart.Version)})
	default:
		t.result.Kept = append(t.result.Kept, leaf)
	}
}

// isDefault tells whether a chart has the very value by itself.
func isDefault(index *chartindex.Index, leaf Kept) bool {
	if index == nil {
		return false
	}
	match := index.Lookup(leaf.Path)
	if match.Kind != chartindex.Known {
		return false
	}
	if match.Value.Default != nil {
		return same(match.Value.Default, leaf.Value)
	}
	value := reflect.ValueOf(leaf.Value)
	switch value.Kind() {
	case reflect.Invalid:
		return true
	case reflect.String:
		return value.Len() == 0
	case reflect.Slice, reflect.Map:
		return value.Len() == 0 && !match.Value.NonEmpty
	}
	return false
}

// override writes what is kept into the spec.
func (t *trial) override() {
	components := table(t.result.Spec, "components")
	for name, c := range components {
		if c, ok := c.(map[string]any); ok {
			delete(c, "values")
			if len(c) == 0 {
				delete(components, name)
			}
		}
	}
	for _, k := range t.result.Kept {
		below := table(table(components, k.Component), "values")
		for _, key := range k.Path[:len(k.Path)-1] {
			below = table(below, key)
		}
		below[k.Path[len(k.Path)-1]] = k.Value
	}
	if len(components) == 0 {
		delete(t.result.Spec, "components")
	}
}

// takeOut takes out the overrides that are in error, and says why; false if none is.
func (t *trial) takeOut() bool {
	kept := t.result.Kept[:0:0]
	for _, k := range t.result.Kept {
		path := []any{"components", k.Component, "values"}
		for _, key := range k.Path {
			path = append(path, key)
		}
		mine := schema.PathString(path)
		i := slices.IndexFunc(t.findings, func(f diag.Finding) bool {
			return f.Severity == diag.Error && (f.Path == mine || strings.HasPrefix(mine, f.Path+".") && strings.HasPrefix(f.Path, schema.PathString(path[:3])+"."))
		})
		if i < 0 {
			kept = append(kept, k)
			continue
		}
		f := t.findings[i]
		t.result.Left = append(t.result.Left, Left{k.Text(), f.ID + ": " + f.Message})
	}
	took := len(kept) < len(t.result.Kept)
	t.result.Kept = kept
	return took
}

func table(in map[string]any, key string) map[string]any {
	out, ok := in[key].(map[string]any)
	if !ok {
		out = map[string]any{}
		in[key] = out
	}
	return out
}

// leaves are the values of a table that are no tables.
func leaves(above chartindex.Path, values map[string]any) []Kept {
	var out []Kept
	for _, key := range slices.Sorted(maps.Keys(values)) {
		path := append(slices.Clone(above), key)
		if below, ok := values[key].(map[string]any); ok {
			// An empty one says nothing.
			out = append(out, leaves(path, below)...)
			continue
		}
		out = append(out, Kept{Path: path, Value: values[key]})
	}
	return out
}

func at(values map[string]any, path []string) (any, bool) {
	var v any = values
	for _, key := range path {
		below, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = below[key]; !ok {
			return nil, false
		}
	}
	return v, true
}

// same compares as JSON does, whatever the Go types of numbers.
func same(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(x) == string(y)
}

// maxShown is how much of a value is shown.
const maxShown = 60

func short(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if len(text) > maxShown {
		return string(text[:maxShown]) + "..."
	}
	return string(text)
}

// withoutEmpty drops empty tables, which say nothing.
func withoutEmpty(in map[string]any) map[string]any {
	for key, value := range in {
		if below, ok := value.(map[string]any); ok && len(withoutEmpty(below)) == 0 {
			delete(in, key)
		}
	}
	return in
}
