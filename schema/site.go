package schema

import (
	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
)

// checkSite runs the site's own rules. They are built apart from the spec, so
// that an endless rule cannot keep the spec from being judged.
func (e *engine) checkSite(c *Cluster, shapeErrors bool) diag.List {
	site := c.Spec.SiteRules()
	if site == nil {
		return nil
	}
	var findings diag.List
	hung, tripped := guard(e.limits, "a rule of the site", func() {
		findings = e.runSite(c, site, shapeErrors)
	})
	if tripped {
		hung.Position = c.Spec.SiteRules().Position("")
		return diag.List{hung}
	}
	return findings
}

func (e *engine) runSite(c *Cluster, site *SiteRules, shapeErrors bool) diag.List {
	rules, findings := site.Build(e)
	if !rules.Exists() {
		return findings
	}
	it, err := rules.Fields()
	if err != nil {
		return append(findings, undecided("of the site", site.Position(""), err))
	}
	for it.Next() {
		id := it.Selector().Unquoted()
		at := site.Position(id)
		if isOwn(e, id) {
			findings.Add(diag.Finding{
				ID: "RULE-003", Position: at,
				Message: "rule " + id + " is one of gpugen's own",
				Why:     "An ID stands for one rule.",
				Fix:     "choose another ID, such as ACME-001",
			})
			continue
		}
		rule := it.Value()
		for _, input := range []string{"spec", "components"} {
			rule = rule.FillPath(cue.ParsePath(input), c.root.LookupPath(cue.ParsePath(input)))
		}
		findings = append(findings, run(c.Spec, id, rule, e.explain, shapeErrors, at)...)
	}
	return findings
}

// isOwn tells whether an ID is one of gpugen's rules.
func isOwn(e *engine, id string) bool {
	_, ok := e.explanations[id]
	return ok
}
