package examples

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/format"
)

// expectation is one entry of a section, evaluated over the objects.
type expectation struct {
	name   string
	source string
	value  cue.Value
}

func (e expectation) field(name string) cue.Value {
	return e.value.LookupPath(cue.MakePath(cue.Str(name)))
}

// content is the expectation's text without its source: as written, since an
// expression over objects that are not there has no value, and as evaluated, since
// what a loop makes is written only once.
func (e expectation) content() (string, error) {
	var out strings.Builder
	for _, name := range []string{"objects", "absent", "count", "holds"} {
		if !e.field(name).Exists() {
			continue
		}
		for _, options := range [][]cue.Option{{cue.Raw()}, nil} {
			data, err := format.Node(e.field(name).Syntax(options...), format.Simplify())
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&out, "%s: %s\n", name, data)
		}
	}
	return out.String(), nil
}

func (e expectation) check(objects map[string]any) ([]Failure, error) {
	var failures []Failure
	var errs []error
	said := 0
	for _, part := range []func(map[string]any) (int, []Failure, error){e.checkObjects, e.checkAbsent, e.checkCount, e.checkHolds} {
		n, found, err := part(objects)
		said += n
		failures = append(failures, found...)
		if err != nil {
			errs = append(errs, err)
		}
	}
	if said == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("states nothing"))
	}
	for i := range failures {
		failures[i].Expectation, failures[i].Source = e.name, e.source
	}
	return failures, errors.Join(errs...)
}

func (e expectation) checkObjects(objects map[string]any) (int, []Failure, error) {
	patterns, err := e.entries("objects")
	var failures []Failure
	for _, entry := range patterns {
		keys, globErr := matching(objects, entry.name)
		err = errors.Join(err, globErr)
		if globErr == nil && len(keys) == 0 {
			failures = append(failures, Failure{Key: entry.name, Wanted: "to exist", Got: "nothing"})
		}
		err = errors.Join(err, checkPattern(entry.value))
		for _, key := range keys {
			for _, mismatch := range match(entry.value, objects[key], nil) {
				failures = append(failures, Failure{Key: key, Path: mismatch.path(), Wanted: mismatch.wanted, Got: mismatch.got})
			}
		}
	}
	return len(patterns), failures, err
}

func (e expectation) checkAbsent(objects map[string]any) (int, []Failure, error) {
	globs, err := e.elements("absent")
	var failures []Failure
	for _, value := range globs {
		glob, valueErr := value.String()
		keys, globErr := matching(objects, glob)
		err = errors.Join(err, valueErr, globErr)
		for _, key := range keys {
			failures = append(failures, Failure{Key: key, Wanted: "absent (" + glob + ")", Got: "an object"})
		}
	}
	return len(globs), failures, err
}

func (e expectation) checkCount(objects map[string]any) (int, []Failure, error) {
	counts, err := e.entries("count")
	var failures []Failure
	for _, entry := range counts {
		wanted, valueErr := entry.value.Int64()
		keys, globErr := matching(objects, entry.name)
		err = errors.Join(err, valueErr, globErr)
		if valueErr == nil && globErr == nil && int(wanted) != len(keys) {
			failures = append(failures, Failure{Key: entry.name, Wanted: fmt.Sprintf("%d objects", wanted), Got: fmt.Sprintf("%d: %s", len(keys), strings.Join(keys, ", "))})
		}
	}
	return len(counts), failures, err
}

func (e expectation) checkHolds(map[string]any) (int, []Failure, error) {
	expressions, err := e.elements("holds")
	var failures []Failure
	for i, value := range expressions {
		holds, valueErr := value.Bool()
		if valueErr != nil {
			err = errors.Join(err, fmt.Errorf("holds[%d] has no value: %w", i, valueErr))
		} else if !holds {
			failures = append(failures, Failure{Path: fmt.Sprintf("holds[%d]", i), Wanted: "true", Got: "false"})
		}
	}
	return len(expressions), failures, err
}

type entry struct {
	name  string
	value cue.Value
}

// entries lists a struct field of the expectation; an empty one says nothing and
// is an error.
func (e expectation) entries(name string) ([]entry, error) {
	field := e.field(name)
	if !field.Exists() {
		return nil, nil
	}
	fields, err := field.Fields()
	if err != nil {
		return nil, err
	}
	var out []entry
	for fields.Next() {
		out = append(out, entry{fields.Selector().Unquoted(), fields.Value()})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s is empty", name)
	}
	return out, nil
}

// elements lists a list field of the expectation. An empty one is an error: a
// comprehension that finds nothing would otherwise hold for ever.
func (e expectation) elements(name string) ([]cue.Value, error) {
	field := e.field(name)
	if !field.Exists() {
		return nil, nil
	}
	list, err := field.List()
	if err != nil {
		return nil, err
	}
	var out []cue.Value
	for list.Next() {
		out = append(out, list.Value())
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s is empty", name)
	}
	return out, nil
}

// matching returns the keys that a key or glob names, sorted.
func matching(objects map[string]any, glob string) ([]string, error) {
	if parts := strings.Count(glob, "/"); parts != 2 && (parts != 1 || !strings.HasPrefix(glob, "values/")) {
		return nil, fmt.Errorf("%q is neither Kind/namespace/name nor values/component", glob)
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		ok, err := path.Match(glob, key)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", glob, err)
		}
		if ok {
			out = append(out, key)
		}
	}
	return out, nil
}
