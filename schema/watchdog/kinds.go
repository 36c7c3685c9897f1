package watchdog

import "github.com/gpugen/gpugen/schema/diag"

var (
	endless = diag.Kind{
		ID: "SPEC-014", Severity: diag.Error,
		Title: "the spec does not finish evaluating",
		Why:   "a comprehension, list or string grows without end",
		Fix:   "make ranges and repetitions smaller; if the spec is as large as it should be, raise --max-time or --max-memory",
	}
	failed = diag.Kind{
		ID: "SPEC-018", Severity: diag.Error,
		Title: "the CUE evaluator failed",
		Why:   "this is a defect of gpugen or CUE, not of the spec",
		Fix:   "report it with the spec that shows it",
	}
)

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{endless, failed}
