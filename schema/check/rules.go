// Package check owns whether a resolved spec is right: it runs the rules and those of
// the site, looks at what components need, and applies waivers. It must not know what
// any rule is about.
package check

import (
	"encoding/json"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
)

// found is one entry of a rule's found list.
type found struct {
	At       []any         `json:"at"`
	Also     [][]any       `json:"also"`
	Message  string        `json:"message"`
	Severity diag.Severity `json:"severity"`
	Fix      string        `json:"fix"`
}

// Run checks a spec by the needs of its components, the catalogue and the site's own
// rules. root is the spec resolved. It returns what was found before and what it
// found, without the warnings that the spec waives.
func Run(e *knowledge.Engine, s *source.Spec, root cue.Value, before diag.List) diag.List {
	c := &checker{engine: e, spec: s, root: root}
	findings := slices.Concat(before, c.needs())
	c.repaired = findings.HasErrors()
	it, err := root.LookupPath(cue.ParsePath("rules")).Fields()
	if err != nil {
		return append(findings, knowledge.Defect("the knowledge base does not evaluate: %v", err))
	}
	for it.Next() {
		findings = append(findings, c.run(it.Selector().Unquoted(), it.Value(), diag.Position{})...)
	}
	return c.waive(append(findings, c.site()...))
}

// checker checks one spec.
type checker struct {
	engine *knowledge.Engine
	spec   *source.Spec
	root   cue.Value
	// repaired says that the spec had errors: then a rule that cannot be decided is
	// nobody's fault.
	repaired bool
}

// run decides one rule; declared is where it is written if it is a site's. A found that is not concrete would decode to nothing,
// so it is a finding about the rule instead.
func (c *checker) run(id string, rule cue.Value, declared diag.Position) diag.List {
	v := rule.LookupPath(cue.ParsePath("found"))
	err := v.Err()
	if err == nil {
		err = v.Validate(cue.Concrete(true), cue.Final())
	}
	if err != nil {
		if c.repaired {
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
	x := c.engine.Explain(id, rule)
	for _, f := range list {
		if touchesTaint(c.spec, f) {
			continue
		}
		at := integers(f.At)
		finding := diag.Finding{
			ID: id, Severity: f.Severity, Message: f.Message,
			Position: c.spec.Locate(at), Path: source.PathString(at),
			Why: x.Why, Fix: x.Fix, Source: x.Source,
		}
		if finding.Severity == "" {
			severity, _ := rule.LookupPath(cue.ParsePath("severity")).String()
			finding.Severity = diag.Severity(severity)
		}
		if f.Fix != "" {
			finding.Fix = f.Fix
		}
		for _, path := range f.Also {
			path = integers(path)
			finding.Also = append(finding.Also, diag.Place{Position: c.spec.Locate(path), Path: source.PathString(path)})
		}
		out.Add(finding)
	}
	return out
}

// undecided is the finding about a rule without a decision. One of gpugen's own is
// a defect, which no change of the spec mends.
func undecided(id string, declared diag.Position, err error) diag.Finding {
	reason, _, _ := strings.Cut(err.Error(), "\n")
	f := undecidedRule.At(declared, "", "rule %s cannot be decided: %s", id, reason)
	if declared.IsZero() {
		defect := knowledge.Defect("")
		f.Why, f.Fix = defect.Why, defect.Fix
	}
	return f
}

// touchesTaint tells whether a finding depends on a value that gpugen put in
// place of a faulty one.
func touchesTaint(s *source.Spec, f found) bool {
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
