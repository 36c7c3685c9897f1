package schema

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/site"
	"github.com/gpugen/gpugen/schema/source"
)

// exampleBase is the minimal good spec that rules' examples are laid over.
//
//go:embed testdata/rules/base.yaml
var exampleBase []byte

// specsOfAContext are evaluated before a CUE context is replaced: it never lets go of what
// was evaluated in it, some 10 MiB a spec.
const specsOfAContext = 5

// TrySiteRules tries each rule of the site that an input belongs to on its own examples:
// its bad is found by this rule alone, and nothing is found in its good, nor in its bad
// with each of the ways of its fix. It returns how many rules there are.
//
// An error is a defect of the knowledge base.
func TrySiteRules(in Input) (int, diag.List, error) {
	theirs, found := site.Read(in, limitsOf(in))
	if theirs == nil || found.HasErrors() {
		return 0, found, nil
	}
	rules, err := knowledge.CatalogueWith(theirs.More)
	if err != nil {
		return 0, nil, err
	}
	byID := map[string]Rule{}
	for _, r := range rules {
		byID[r.ID] = r
	}
	t := &trial{in: in, base: theirs.Base}
	if err := yaml.Unmarshal(exampleBase, &t.spec); err != nil {
		return 0, nil, err
	}
	places := site.Rules(in)
	for _, place := range places {
		if err := t.rule(place, byID[place.ID]); err != nil {
			return 0, nil, err
		}
	}
	return len(places), t.found, nil
}

// trial tries rules on specs.
type trial struct {
	in   Input
	base *knowledge.Base
	// spec is what examples are laid over.
	spec      map[string]any
	evaluator *evaluator
	specs     int
	found     diag.List
}

// rule tries one rule on each of its examples.
func (t *trial) rule(place site.RulePlace, r Rule) error {
	for _, example := range []struct {
		name string
		is   bool
	}{{"bad", r.Bad != nil}, {"good", r.Good != nil}} {
		if !example.is {
			t.found.Add(site.Untried.At(place.At, "", "rule %s has no %s", place.ID, example.name))
		}
	}
	if r.Bad != nil {
		mine := 0
		for _, f := range t.judge(laidOver(t.spec, r.Bad)) {
			if f.ID == place.ID {
				mine++
				continue
			}
			t.fails(place, "bad", "bad of "+place.ID, f)
		}
		if mine == 0 {
			t.found.Add(site.Fails.At(place.Fields["bad"], "", "bad of %s: the rule finds nothing in it", place.ID))
		}
	}
	if r.Good != nil {
		for _, f := range t.judge(laidOver(t.spec, r.Good)) {
			t.fails(place, "good", "good of "+place.ID, f)
		}
	}
	for i, way := range r.Fixed {
		for _, f := range t.judge(fixing(laidOver(t.spec, r.Bad), way)) {
			t.fails(place, "fixed", fmt.Sprintf("fixed of %s, way %d", place.ID, i+1), f)
		}
	}
	return nil
}

// fails reports what is found in an example and should not be.
func (t *trial) fails(place site.RulePlace, field, what string, f diag.Finding) {
	t.found.Add(site.Fails.At(place.Fields[field], "", "%s: %s is found at %s: %s", what, f.ID, f.Path, f.Message))
}

// judge evaluates a spec by the knowledge of the site.
func (t *trial) judge(spec map[string]any) diag.List {
	text, err := json.Marshal(spec)
	if err != nil {
		return diag.List{Defect("%v", err)}
	}
	if t.specs%specsOfAContext == 0 {
		e, err := t.base.Compile()
		if err != nil {
			return diag.List{Defect("%v", err)}
		}
		t.evaluator = newEvaluator(e)
	}
	t.specs++
	in := t.in
	in.Path, in.Stdin, in.Apart = "-", bytes.NewReader(text), nil
	_, found := guarded(in, func() (*Cluster, diag.List) { return t.evaluator.evaluate(in) })
	return found
}

// laidOver merges maps; everything else of the upper replaces the lower, lists
// included. null is a value like any other: nothing can be deleted, which is why
// the base says so little.
func laidOver(lower, upper map[string]any) map[string]any {
	out := source.Clone(lower)
	for key, value := range upper {
		above, isMap := value.(map[string]any)
		below, wasMap := out[key].(map[string]any)
		if isMap && wasMap {
			out[key] = laidOver(below, above)
			continue
		}
		out[key] = source.Clone(value)
	}
	return out
}

// fixing is laidOver, but that null takes a field away.
func fixing(spec, way map[string]any) map[string]any {
	out := source.Clone(spec)
	for key, value := range way {
		below, wasMap := out[key].(map[string]any)
		above, isMap := value.(map[string]any)
		switch {
		case value == nil:
			delete(out, key)
		case isMap && wasMap:
			out[key] = fixing(below, above)
		case isMap:
			out[key] = fixing(map[string]any{}, above)
		default:
			out[key] = source.Clone(value)
		}
	}
	return out
}
