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

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{contradiction, noIndex, unexplained}
