package check

import "github.com/gpugen/gpugen/schema/diag"

var (
	undecidedRule = diag.Kind{
		ID: "RULE-002", Severity: diag.Error,
		Title: "A rule cannot be decided",
		Why:   "A rule that is not concrete would find nothing, in silence.",
		Fix:   "mend the rule: fields that may be absent need a guard (if x != _|_)",
	}
	takenID = diag.Kind{
		ID: "RULE-003", Severity: diag.Error,
		Title: "A site's rule has the ID of one of gpugen's",
		Why:   "An ID stands for one rule.",
		Fix:   "choose another ID, such as ACME-001",
	}
	unneededWaiver = diag.Kind{
		ID: "WAIVER-001", Severity: diag.Warning,
		Title: "A waiver that nothing needs",
		Why:   "A waiver that outlives its cause hides the next one.",
		Fix:   "remove the waiver",
	}
	waivedError = diag.Kind{
		ID: "WAIVER-002", Severity: diag.Error,
		Title: "A waiver of an error",
		Why:   "An error is a state that breaks the cluster.",
		Fix:   "mend what the rule names, and remove the waiver",
	}
	impossibleNeed = diag.Kind{
		ID: "SPEC-033", Severity: diag.Error,
		Title: "a component that cannot come first",
		Why:   "components come one after the other, as far as they need each other; what is not rendered, or needs the component itself, never comes before it",
		Fix:   "name components that are rendered, or remove the need",
	}
	lostAddition = diag.Kind{
		ID: "SPEC-034", Severity: diag.Error,
		Title: "additions to a component that is not rendered",
		Why:   "they would have no effect",
		Fix:   "remove them, or let the component be managed",
	}
)

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{undecidedRule, takenID, unneededWaiver, waivedError, impossibleNeed, lostAddition}
