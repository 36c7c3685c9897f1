package knowledge

import "github.com/gpugen/gpugen/schema/diag"

var defect = diag.Kind{
	ID: "RULE-001", Severity: diag.Error, Fatal: true,
	Title: "The knowledge base does not evaluate",
	Why:   "This is a defect of gpugen, not of the spec.",
	Fix:   "report it with the spec that shows it",
}

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{defect}

// Defect is the finding about an error that no spec should be able to cause.
func Defect(format string, args ...any) diag.Finding {
	return defect.At(diag.Position{}, "", format, args...)
}
