package anyspec

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/cuecontext"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/schema/knowledge"
)

// Repository makes a source of the good specs of the repository at root: examples,
// the specs that tests of fields begin with, what each rule calls good and what its
// fixes lead to, and cases of which no error is found. Fields that
// one of leave tells by their path are said by none; "*" in a path is any name or element.
func Repository(root string, leave ...func(field string) bool) (*Source, error) {
	var good []map[string]any
	examples, _ := filepath.Glob(filepath.Join(root, "examples", "*", "cluster.cue"))
	fields, _ := filepath.Glob(filepath.Join(root, "generators", "testdata", "fields", "*.yaml"))
	if len(examples) == 0 || len(fields) == 0 {
		return nil, errors.New("no good specs in " + root)
	}
	for _, name := range append(examples, fields...) {
		spec, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		good = append(good, spec)
	}
	base, err := read(filepath.Join(root, "schema", "testdata", "rules", "base.yaml"))
	if err != nil {
		return nil, err
	}
	rules, err := knowledge.Catalogue()
	if err != nil {
		return nil, err
	}
	for _, rule := range rules {
		if rule.Good != nil {
			good = append(good, over(base, rule.Good).(map[string]any))
		}
		for _, way := range rule.Fixed {
			good = append(good, over(over(base, rule.Bad), way).(map[string]any))
		}
	}
	cases, err := goodCases(root)
	if err != nil {
		return nil, err
	}
	for _, spec := range cases {
		good = append(good, over(base, spec).(map[string]any))
	}
	return New(good, leave...)
}

// goodCases are the cases of which no error is found, as they are laid over the base.
func goodCases(root string) (good []map[string]any, err error) {
	names, err := filepath.Glob(filepath.Join(root, "schema", "testdata", "rules", "cases", "*.yaml"))
	if err != nil || len(names) == 0 {
		return nil, errors.New("no cases in " + root)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var cases []struct {
			Spec  map[string]any
			Found []string
		}
		if err := yaml.Unmarshal(data, &cases); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, c := range cases {
			if !slices.ContainsFunc(c.Found, func(found string) bool { return strings.HasPrefix(found, "error ") }) {
				good = append(good, c.Spec)
			}
		}
	}
	return good, nil
}

func read(name string) (map[string]any, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if filepath.Ext(name) == ".cue" {
		return out, cuecontext.New().CompileBytes(data).Decode(&out)
	}
	return out, yaml.Unmarshal(data, &out)
}

// over lays one value over another; only maps merge, and null takes a field away.
func over(lower, upper any) any {
	below, wasMap := lower.(map[string]any)
	above, isMap := upper.(map[string]any)
	if !isMap || !wasMap {
		return upper
	}
	out := maps.Clone(below)
	for _, key := range slices.Sorted(maps.Keys(above)) {
		if above[key] == nil {
			delete(out, key)
			continue
		}
		out[key] = over(out[key], above[key])
	}
	return out
}
