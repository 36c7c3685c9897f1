package check

import (
	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/load"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// site runs the site's own rules. They are built apart from the spec, so that an
// endless rule cannot keep the spec from being judged.
func (c *checker) site() diag.List {
	written := c.spec.SiteRules()
	if written == nil {
		return nil
	}
	var findings diag.List
	hung, tripped := watchdog.Run(c.engine.Limits, "a rule of the site", func() {
		findings = c.runSite(written)
	})
	if tripped {
		hung.Position = written.Position("")
		return diag.List{hung}
	}
	return findings
}

func (c *checker) runSite(written *source.SiteRules) diag.List {
	rules, findings := load.SiteRules(c.engine, written)
	if !rules.Exists() {
		return findings
	}
	it, err := rules.Fields()
	if err != nil {
		return append(findings, undecided("of the site", written.Position(""), err))
	}
	for it.Next() {
		id := it.Selector().Unquoted()
		at := written.Position(id)
		if c.engine.HasRule(id) {
			findings.Add(takenID.At(at, "", "rule %s is one of gpugen's own", id))
			continue
		}
		rule := it.Value()
		for _, input := range []string{"spec", "components"} {
			rule = rule.FillPath(cue.ParsePath(input), c.root.LookupPath(cue.ParsePath(input)))
		}
		findings = append(findings, c.run(id, rule, at)...)
	}
	return findings
}
