package site

import "github.com/gpugen/gpugen/schema/diag"

var (
	contradiction = diag.Kind{
		ID: "SITE-003", Severity: diag.Error,
		Title: "site knowledge that does not fit gpugen's",
		Why:   "site knowledge adds to gpugen's, and may say what that leaves open; where both say something, neither wins",
		Fix:   "change it at this place, or rename what it adds",
	}
	noIndex = diag.Kind{
		ID: "SITE-004", Severity: diag.Error,
		Title: "an index of a chart that is none",
		Why:   "by the index Helm values are checked, and the AppProject allows what the chart renders",
		Fix:   "make it of the chart: gpugen chart index DIR > schema/facts/charts/NAME-VERSION.json",
	}
	unexplained = diag.Kind{
		ID: "SITE-005", Severity: diag.Error,
		Title: "a rule of the site that does not say what a person needs",
		Why:   "whoever reads the finding knows neither the rule nor its author",
		Fix:   "write title, severity (\"error\" or \"warning\"), why, fix and source as plain texts, and found",
	}
)

// What is found where the rules of a site are tried on their own examples.
var (
	Untried = diag.Kind{
		ID: "SITE-006", Severity: diag.Error,
		Title: "a rule of the site without an example",
		Why:   "a rule that finds nothing, or finds what is right, shows only on a spec that breaks it and on one that keeps it",
		Fix:   "write bad and good: the fields that break the rule, and those that keep it, as they are laid over a small good spec with one pool called p",
	}
	Fails = diag.Kind{
		ID: "SITE-007", Severity: diag.Error,
		Title: "an example of a rule of the site that does not hold",
		Why:   "the rule finds something else than its author meant, or its fix leads into another finding",
		Fix:   "change found, or the example, so that bad is found by this rule alone, and nothing is found in good and in bad with each of fixed",
	}
)

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{contradiction, noIndex, unexplained, Untried, Fails}
