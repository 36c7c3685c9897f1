package knowledge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"github.com/gpugen/gpugen/schema/diag"
)

// Rule is one kind of finding, for people who look it up: a rule in CUE, or a kind
// of those that Go makes.
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
	// Fixed are the ways of Fix, each as it is laid over Bad; null takes a field away.
	Fixed []map[string]any `json:"fixed,omitempty"`
}

// Catalogue lists the rules, sorted by ID.
//
// An error is a defect of the knowledge base.
func Catalogue() ([]Rule, error) {
	// Examples are in the sources only.
	base, err := parsedOnce()
	if err != nil {
		return nil, err
	}
	return base.catalogue()
}

// CatalogueWith is Catalogue, with the rules that a site adds.
func CatalogueWith(more More) ([]Rule, error) {
	base := parsed()
	if err := base.add(more); err != nil {
		return nil, err
	}
	return base.catalogue()
}

func (base *Base) catalogue() ([]Rule, error) {
	e, err := base.Compile()
	if err != nil {
		return nil, err
	}
	it, err := e.Rules().LookupPath(cue.ParsePath("rules")).Fields()
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
	slices.SortFunc(out, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

func (e *Engine) describeRule(id string, v cue.Value) (Rule, error) {
	x := e.Explain(id, v)
	r := Rule{ID: id, Title: x.Title, Severity: diag.Severity(text(v, "severity")), Why: x.Why, Fix: x.Fix, Source: x.Source}
	r.Guarded, _ = v.LookupPath(cue.ParsePath("guarded")).Bool()
	for _, example := range []struct {
		expr ast.Expr
		into any
	}{{x.bad, &r.Bad}, {x.good, &r.Good}, {x.fixed, &r.Fixed}} {
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

// Retired maps IDs that are no more to those that say the same today.
//
// An error is a defect of the knowledge base.
func Retired() (map[string]string, error) {
	e, err := New()
	if err != nil {
		return nil, err
	}
	return RetiredIn(e.Rules())
}

// RetiredIn is Retired, read from package rules.
func RetiredIn(rules cue.Value) (map[string]string, error) {
	var out map[string]string
	err := rules.LookupPath(cue.ParsePath("retired")).Decode(&out)
	return out, err
}

func text(v cue.Value, field string) string {
	s, _ := v.LookupPath(cue.ParsePath(field)).String()
	return s
}
