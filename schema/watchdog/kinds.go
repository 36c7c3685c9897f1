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
	ended = diag.Kind{
		ID: "SPEC-038", Severity: diag.Error,
		Title: "the process that judged the spec ended",
		Why:   "the machine had no more memory for it, or gpugen or CUE has a defect",
		Fix:   "vet the spec by itself; give it more memory, or less by --max-memory; if it ends all the same, report it with the spec that shows it",
	}
)

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{endless, failed, ended}
