package shape

import "strings"

// CUE says what kind of error it has in the text of its messages only. What gpugen
// reads out of them stands here, and is compared with messages of the CUE that it is
// built with in cue_messages_test.go.

// isDisagreement tells whether CUE's message says that two values do not unify.
func isDisagreement(message string) bool {
	return strings.HasPrefix(message, "conflicting values") ||
		strings.Contains(message, "out of bound") ||
		strings.Contains(message, "incompatible list lengths")
}

// isNotAllowed tells whether CUE's message says that a definition has no such field.
func isNotAllowed(message string) bool { return strings.HasPrefix(message, "field not allowed") }

// isIncomplete tells whether CUE's message says that an expression needs a value that
// is a constraint still.
func isIncomplete(message string) bool {
	return strings.HasPrefix(message, "invalid interpolation") || strings.HasPrefix(message, "non-concrete value")
}

// isCycle tells whether CUE's message says that a value refers to itself.
func isCycle(message string) bool { return strings.Contains(message, "cycle") }
