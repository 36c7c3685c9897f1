package override

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
)

// explainConflicts compares each leaf of the user's values with what the
// templates say without them. It returns a finding for each that contradicts,
// and the spec with the rest.
func (r *resolver) explainConflicts(o *overrides, base cue.Value) (diag.List, *overrides) {
	var (
		findings diag.List
		good     []override
	)
	why, err := r.engine.Reasons(r.schema.Complete(o.without().data), map[string]any{})
	if err != nil {
		findings.Add(notEvaluated(err))
	}
	for _, leaf := range o.leaves {
		clash, ok := r.clash(leaf, base)
		if ok {
			findings.Add(r.conflict(leaf, clash, base, why))
			continue
		}
		if !leaf.list {
			good = append(good, leaf)
			continue
		}
		rest, clashes := clashingEntries(leaf, base)
		for _, i := range clashes {
			entry := leaf
			entry.path = slices.Clone(leaf.path)
			f := r.conflict(entry, effective(base, leaf)[0], base, why)
			f.Path = source.PathString(append(leaf.at(), i))
			f.Position = r.spec.Locate(append(leaf.at(), i))
			f.Message = fmt.Sprintf("%s entry %q contradicts what follows from the spec", strings.Join(leaf.path, "."), nameOf(leaf.value, i))
			findings.Add(f)
		}
		if len(rest) > 0 {
			leaf.value = rest
			good = append(good, leaf)
		}
	}
	return findings, o.with(good)
}

// clash is the template's value that a leaf contradicts, if any; an optional field of the
// template's is a value that it leaves to the chart, and that nobody may change.
func (r *resolver) clash(leaf override, base cue.Value) (cue.Value, bool) {
	for _, release := range releases(base, leaf) {
		for n := range leaf.path {
			v := release.LookupPath(heldPath(leaf.path[:n+1]))
			if !v.Exists() {
				break
			}
			last := n == len(leaf.path)-1
			switch {
			case !last && v.IncompleteKind()&cue.StructKind == 0:
				return v, true
			case last && leaf.list && isListOfMaps(leaf.value):
				return cue.Value{}, false
			case last && v.Unify(r.engine.Ctx.Encode(leaf.value)).Validate() != nil:
				return v, true
			}
		}
	}
	return cue.Value{}, false
}

// clashingEntries compares env entries by name.
func clashingEntries(leaf override, base cue.Value) (rest []any, clashes []int) {
	derived := map[string]any{}
	for _, v := range effective(base, leaf) {
		var list []map[string]any
		if data, err := v.MarshalJSON(); err == nil && json.Unmarshal(data, &list) == nil {
			for _, entry := range list {
				if name, ok := entry["name"].(string); ok {
					derived[name] = entry
				}
			}
		}
	}
	entries, _ := leaf.value.([]any)
	for i, entry := range entries {
		name := nameOf(leaf.value, i)
		if want, ok := derived[name]; ok && name != "" && !reflect.DeepEqual(want, entry) {
			clashes = append(clashes, i)
			continue
		}
		rest = append(rest, entry)
	}
	return rest, clashes
}

func nameOf(list any, index int) string {
	entries, _ := list.([]any)
	entry, _ := entries[index].(map[string]any)
	name, _ := entry["name"].(string)
	return name
}

// conflict is the finding about an override that contradicts the spec. clash is
// the template's value, and base what it comes from; without it nothing more is known
// than that they clash.
func (r *resolver) conflict(leaf override, clash, base cue.Value, why knowledge.Reasons) diag.Finding {
	value := strings.Join(leaf.path, ".")
	f := r.at(contradiction, leaf.at(), "%s is %s, which contradicts other values", value, show(leaf.value))
	if !clash.Exists() {
		f.Fix = "remove one of the values that contradict each other"
		return f
	}
	f.Message = fmt.Sprintf("%s is %s, but the spec makes it %s", value, show(leaf.value), showValue(clash))
	if leaf.value == nil {
		f.Message = fmt.Sprintf("%s is null, which removes the chart's default, but the spec makes it %s", value, showValue(clash))
	}
	f.Fix = "remove the value"
	reason, ok := why.Of(leaf.component, leaf.path)
	if !ok {
		return f
	}
	f.Why = reason.Why
	if len(reason.From) > 0 {
		f.Fix = "remove the value, or change " + fields(reason)
		if field := r.passedOn(leaf, clash, base, reason); field != "" {
			f.Fix = fmt.Sprintf("remove the value, or set %s to %s", field, show(leaf.value))
		}
		f.Also = decides(r.spec, reason)
	}
	if rule := reason.RuleFor(leaf.value); rule != "" {
		f.ID = rule
		if r.engine.HasRule(f.ID) {
			x := r.engine.Explain(f.ID, r.engine.Rules().LookupPath(cue.MakePath(cue.Str("rules"), cue.Str(f.ID))))
			f.Why, f.Fix, f.Source = x.Why, x.Fix, x.Source
		}
	}
	return f
}

// at makes a finding about a place in the spec.
func (r *resolver) at(kind diag.Kind, path []any, format string, args ...any) diag.Finding {
	return kind.At(r.spec.Locate(path), source.PathString(path), format, args...)
}

// show prints a value of the user's in one short line.
func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return shorten(string(data))
}

func showValue(v cue.Value) string {
	data, err := v.MarshalJSON()
	if err != nil {
		return "something else"
	}
	return shorten(string(data))
}

func shorten(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
