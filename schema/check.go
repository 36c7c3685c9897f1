package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
)

// found is one entry of a rule's found list.
type found struct {
	At       []any         `json:"at"`
	Also     [][]any       `json:"also"`
	Message  string        `json:"message"`
	Severity diag.Severity `json:"severity"`
}

// check runs the catalogue and the site's own rules. shapeErrors says that the
// spec was repaired; then a rule that cannot be decided is nobody's fault.
func (e *engine) check(c *Cluster, shapeErrors bool) diag.List {
	var findings diag.List
	it, err := c.root.LookupPath(cue.ParsePath("rules")).Fields()
	if err != nil {
		return diag.List{defect(err)}
	}
	for it.Next() {
		findings = append(findings, run(c.Spec, it.Selector().Unquoted(), it.Value(), e.explain, shapeErrors, diag.Position{})...)
	}
	findings = append(findings, e.checkSite(c, shapeErrors)...)
	return waive(c.Spec, findings)
}

// run decides one rule. A found that is not concrete would decode to nothing,
// so it is a finding about the rule instead.
func run(s *Spec, id string, rule cue.Value, explain func(string, cue.Value) explanation, shapeErrors bool, declared diag.Position) diag.List {
	v := rule.LookupPath(cue.ParsePath("found"))
	err := v.Err()
	if err == nil {
		err = v.Validate(cue.Concrete(true), cue.Final())
	}
	if err != nil {
		if shapeErrors {
			return nil
		}
		return diag.List{undecided(id, declared, err)}
	}
	var list []found
	data, err := v.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		return diag.List{undecided(id, declared, err)}
	}
	if len(list) == 0 {
		return nil
	}
	var out diag.List
	x := explain(id, rule)
	for _, f := range list {
		if touchesTaint(s, f) {
			continue
		}
		at := integers(f.At)
		finding := diag.Finding{
			ID: id, Severity: f.Severity, Message: f.Message,
			Position: s.Locate(at), Path: PathString(at),
			Why: x.why, Fix: x.fix, Source: x.source,
		}
		if finding.Severity == "" {
			finding.Severity = diag.Severity(text(rule, "severity"))
		}
		for _, path := range f.Also {
			path = integers(path)
			finding.Also = append(finding.Also, diag.Place{Position: s.Locate(path), Path: PathString(path)})
		}
		out.Add(finding)
	}
	return out
}

func undecided(id string, declared diag.Position, err error) diag.Finding {
	f := defect(err)
	f.ID = "RULE-002"
	f.Fatal = false
	f.Position = declared
	f.Message = "rule " + id + " cannot be decided: " + strings.SplitN(err.Error(), "\n", 2)[0]
	if !declared.IsZero() {
		f.Why = "A rule that is not concrete would find nothing, in silence."
		f.Fix = "mend the rule: fields that may be absent need a guard (if x != _|_)"
	}
	return f
}

// touchesTaint tells whether a finding depends on a value that gpugen put in
// place of a faulty one.
func touchesTaint(s *Spec, f found) bool {
	if s.Tainted(integers(f.At)) {
		return true
	}
	return slices.ContainsFunc(f.Also, func(path []any) bool { return s.Tainted(integers(path)) })
}

// integers turns JSON's numbers in a path into indices.
func integers(path []any) []any {
	out := slices.Clone(path)
	for i, label := range out {
		if n, ok := label.(float64); ok {
			out[i] = int(n)
		}
	}
	return out
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
