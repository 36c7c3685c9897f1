package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/gpugen/gpugen/schema/diag"
)

// Rule is one kind of finding, for people who look it up.
type Rule struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Severity diag.Severity  `json:"severity"`
	Why      string         `json:"why"`
	Fix      string         `json:"fix"`
	Source   string         `json:"source,omitempty"`
	Guarded  bool           `json:"guarded,omitempty"`
	Bad      map[string]any `json:"bad,omitempty"`
	Good     map[string]any `json:"good,omitempty"`
}

// Catalogue lists the rules and all other kinds of findings of this package,
// sorted by ID.
//
// An error is a defect of the knowledge base.
func Catalogue() ([]Rule, error) {
	e, err := newEngine()
	if err != nil {
		return nil, err
	}
	it, err := e.catalogue().LookupPath(cue.ParsePath("rules")).Fields()
	if err != nil {
		return nil, err
	}
	var out []Rule
	for it.Next() {
		r, err := e.describeRule(it.Selector().Unquoted(), it.Value())
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	for _, id := range slices.Concat(SpecIDs(), valueIDs, ruleIDs) {
		out = append(out, Rule{ID: id.ID, Title: id.Title, Severity: diag.Error, Why: id.Why, Fix: id.Fix})
	}
	slices.SortFunc(out, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

func (e *engine) describeRule(id string, v cue.Value) (Rule, error) {
	x := e.explain(id, v)
	r := Rule{ID: id, Title: x.title, Severity: diag.Severity(text(v, "severity")), Why: x.why, Fix: x.fix, Source: x.source}
	r.Guarded, _ = v.LookupPath(cue.ParsePath("guarded")).Bool()
	for _, example := range []struct {
		expr ast.Expr
		into *map[string]any
	}{{x.bad, &r.Bad}, {x.good, &r.Good}} {
		if example.expr == nil {
			continue
		}
		data, err := x.data(e, example.expr)
		if err != nil {
			return r, fmt.Errorf("rule %s: %w", id, err)
		}
		if err := json.Unmarshal(data, example.into); err != nil {
			return r, fmt.Errorf("rule %s: %w", id, err)
		}
	}
	return r, nil
}

// valueIDs are what can be wrong with the user's Helm values.
var valueIDs = []ID{
	{"VALUES-001", "A value contradicts what follows from the spec", "Values unify with what follows from the spec; neither side wins in silence.", "remove the value, or change the field of the spec that it contradicts"},
	{"VALUES-002", "The chart has no such value", "Helm accepts keys that a chart never reads: the setting would have no effect, in silence.", "use the name that the finding offers, or remove the value"},
	{"VALUES-003", "A value of the wrong type", "A value of another type renders to something that the API server refuses, or that nobody meant.", "give the value the type that the chart has"},
	{"VALUES-004", "Values of a component that is not rendered", "Values are given to the chart that gpugen renders; there is none.", "remove the values, or let the component be managed"},
	{"VALUES-005", "A key that looks misspelt (warning)", "The map takes any key, so that a misspelt one has no effect, in silence.", "use the name that the finding offers, if that is what you mean"},
	{"VALUES-006", "A value that no template reads (warning)", "The chart lists the value, but it has no effect.", "remove the value"},
	{"VALUES-007", "A text in the values that cannot be read", "The chart passes the text on; what reads it refuses it and restarts for ever.", "mend the text as the finding says"},
}

// ruleIDs are about rules and waivers themselves.
var ruleIDs = []ID{
	{"RULE-001", "The knowledge base does not evaluate", "This is a defect of gpugen, not of the spec.", "report it with the spec that shows it"},
	{"RULE-002", "A rule cannot be decided", "A rule that is not concrete would find nothing, in silence.", "mend the rule: fields that may be absent need a guard (if x != _|_)"},
	{"RULE-003", "A site's rule has the ID of one of gpugen's", "An ID stands for one rule.", "choose another ID, such as ACME-001"},
	{"WAIVER-001", "A waiver that nothing needs", "A waiver that outlives its cause hides the next one.", "remove the waiver"},
	{"WAIVER-002", "A waiver of an error", "An error is a state that breaks the cluster.", "mend what the rule names, and remove the waiver"},
}

// Nearest returns the names that a person most likely meant, best first; none if
// nothing is near.
func Nearest(name string, candidates []string) []string { return nearest(name, candidates) }
