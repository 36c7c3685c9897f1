package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/diag"
)

// explainConflicts compares each leaf of the user's values with what the
// templates say without them. It returns a finding for each that contradicts,
// and the spec with the rest.
func (e *engine) explainConflicts(s *Spec, o *overrides, base cue.Value) (diag.List, *overrides) {
	var (
		findings diag.List
		good     []override
	)
	for _, leaf := range o.leaves {
		clash, ok := e.clash(leaf, base)
		if ok {
			findings.Add(e.conflict(s, leaf, clash))
			continue
		}
		if !leaf.list {
			good = append(good, leaf)
			continue
		}
		rest, clashes := e.clashingEntries(leaf, base)
		for _, index := range clashes {
			entry := leaf
			entry.path = slices.Clone(leaf.path)
			f := e.conflict(s, entry, effective(base, leaf)[0])
			f.Path = PathString(append(leaf.at(), index))
			f.Position = s.Locate(append(leaf.at(), index))
			f.Message = fmt.Sprintf("%s entry %q contradicts what follows from the spec", strings.Join(leaf.path, "."), nameOf(leaf.value, index))
			findings.Add(f)
		}
		if len(rest) > 0 {
			leaf.value = rest
			good = append(good, leaf)
		}
	}
	return findings, o.with(good)
}

// clash is the template's value that a leaf contradicts, if any.
func (e *engine) clash(leaf override, base cue.Value) (cue.Value, bool) {
	for _, release := range releases(base, leaf) {
		for n := range leaf.path {
			v := release.LookupPath(valuePath(leaf.path[:n+1]))
			if !v.Exists() {
				break
			}
			last := n == len(leaf.path)-1
			switch {
			case !last && v.IncompleteKind()&cue.StructKind == 0:
				return v, true
			case last && leaf.list && isListOfMaps(leaf.value):
				return cue.Value{}, false
			case last && v.Unify(e.ctx.Encode(leaf.value)).Validate() != nil:
				return v, true
			}
		}
	}
	return cue.Value{}, false
}

// clashingEntries compares env entries by name.
func (e *engine) clashingEntries(leaf override, base cue.Value) (rest []any, clashes []int) {
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

// releases are the components that take an override.
func releases(root cue.Value, o override) []cue.Value {
	var out []cue.Value
	it, err := root.LookupPath(cue.ParsePath("components")).Fields()
	if err != nil {
		return nil
	}
	for it.Next() {
		of, _ := it.Value().LookupPath(cue.ParsePath("of")).String()
		if o.serves(of, it.Selector().Unquoted()) {
			out = append(out, it.Value())
		}
	}
	return out
}

// conflict is the finding about an override that contradicts the spec. clash is
// the template's value; without it nothing more is known than that they clash.
func (e *engine) conflict(s *Spec, leaf override, clash cue.Value) diag.Finding {
	f := diag.Finding{
		ID: "VALUES-001", Severity: diag.Error,
		Position: s.Locate(leaf.at()), Path: PathString(leaf.at()),
		Message: fmt.Sprintf("%s is %s, which contradicts other values", strings.Join(leaf.path, "."), show(leaf.value)),
		Why:     "Values unify with what follows from the spec; neither side wins in silence.",
		Fix:     "remove one of the values that contradict each other",
	}
	if !clash.Exists() {
		return f
	}
	f.Message = fmt.Sprintf("%s is %s, but the spec makes it %s", strings.Join(leaf.path, "."), show(leaf.value), showValue(clash))
	if leaf.value == nil {
		f.Message = fmt.Sprintf("%s is null, which removes the chart's default, but the spec makes it %s", strings.Join(leaf.path, "."), showValue(clash))
	}
	f.Fix = "remove the value"
	if reason := docOf(clash); reason != "" {
		f.Why = reason
	}
	wanted, rule := attribute(clash, "spec"), attribute(clash, "rule")
	if wanted != "" {
		f.Fix = "remove the value, or change " + wanted
		f.Also = e.decides(s, wanted)
	}
	if rule != "" {
		f.ID = e.ruleFor(rule, leaf.value)
		if isOwn(e, f.ID) {
			x := e.explain(f.ID, e.catalogue().LookupPath(cue.MakePath(cue.Str("rules"), cue.Str(f.ID))))
			f.Why, f.Fix, f.Source = x.why, x.fix, x.source
		}
	}
	return f
}

// ruleFor picks among the rules of a template's @rule: one, or one for each
// boolean that a user may force ("NET-001,NET-002": true, false).
func (e *engine) ruleFor(ids string, value any) string {
	list := strings.Split(ids, ",")
	if b, ok := value.(bool); ok && !b && len(list) > 1 {
		return list[1]
	}
	return list[0]
}

// decides lists the fields of the spec that a template's @spec names; where the
// user left one out, the nearest place that they wrote. A * stands for every
// entry.
func (e *engine) decides(s *Spec, wanted string) []diag.Place {
	var out []diag.Place
	for _, path := range expand(s.Data, splitPath(wanted), nil) {
		place := diag.Place{Position: s.Locate(path), Path: PathString(path)}
		if !s.Wrote(path) {
			place.Note = "(by default)"
		}
		out = append(out, place)
	}
	return out
}

// splitPath reads a path of @spec: CUE labels, with * for any.
func splitPath(path string) []string {
	var out []string
	for _, sel := range cue.ParsePath(strings.ReplaceAll(path, "*", `"*"`)).Selectors() {
		out = append(out, sel.Unquoted())
	}
	return out
}

func expand(v any, pattern []string, at []any) [][]any {
	if len(pattern) == 0 {
		return [][]any{slices.Clone(at)}
	}
	m, _ := v.(map[string]any)
	keys := []string{pattern[0]}
	if pattern[0] == "*" {
		keys = sortedKeys(m)
	}
	var out [][]any
	for _, key := range keys {
		out = append(out, expand(m[key], pattern[1:], append(slices.Clone(at), key))...)
	}
	return out
}

// attribute reads an attribute of a template's field, or of the nearest field
// above that has it.
func attribute(v cue.Value, name string) string {
	for _, a := range v.Attributes(cue.FieldAttr) {
		if a.Name() != name {
			continue
		}
		contents := a.Contents()
		if s, err := unquote(contents); err == nil {
			return s
		}
		return contents
	}
	return ""
}

func unquote(s string) (string, error) {
	expr, err := parser.ParseExpr("", s)
	if err != nil {
		return "", err
	}
	lit, ok := expr.(*ast.BasicLit)
	if !ok {
		return "", fmt.Errorf("no string: %s", s)
	}
	return strings.Trim(lit.Value, `"`), nil
}

// docOf is the comment on the template's field: the reason. Comments are not
// kept while everything is well, so the one file is parsed again.
func docOf(v cue.Value) string {
	pos := v.Pos()
	for _, src := range Sources() {
		if src.Path != pos.Filename() {
			continue
		}
		f, err := parser.ParseFile(src.Path, src.Data, parser.ParseComments)
		if err != nil {
			return ""
		}
		return commentAbove(f, pos.Line())
	}
	return ""
}

// commentAbove is the comment of the field on a line, or of the field around it
// that begins just above: the comment stands over "driver: {" where only
// "enabled" has a value.
func commentAbove(f *ast.File, line int) string {
	const above = 2
	out := ""
	ast.Walk(f, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok || field.Pos().Line() > line || field.Pos().Line() < line-above || field.End().Line() < line {
			return true
		}
		for _, group := range ast.Comments(field) {
			if group.Doc {
				out = strings.Join(strings.Fields(group.Text()), " ")
			}
		}
		return true
	}, nil)
	return out
}

func text(v cue.Value, field string) string {
	s, _ := v.LookupPath(cue.ParsePath(field)).String()
	return s
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
