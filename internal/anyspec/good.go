package anyspec

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"cuelang.org/go/cue/cuecontext"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/schema/knowledge"
)

// Repository makes a source of the good specs of the repository at root: examples,
// the specs that tests of fields begin with, and what each rule calls good.
func Repository(root string) (*Source, error) {
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
	}
	return New(good)
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

// over lays one value over another; only maps merge.
func over(lower, upper any) any {
	below, wasMap := lower.(map[string]any)
	above, isMap := upper.(map[string]any)
	if !isMap || !wasMap {
		return upper
	}
	out := maps.Clone(below)
	for _, key := range slices.Sorted(maps.Keys(above)) {
		out[key] = over(out[key], above[key])
	}
	return out
}
