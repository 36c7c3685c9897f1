package diag

import (
	"cmp"
	"fmt"
)

// Kind is one kind of finding that Go code makes: what all findings of one ID
// have in common. Kinds of rules are the rules themselves, in CUE.
//
// Each package lists its kinds in kinds.go, as variables and once more as Kinds,
// from which `gpugen rules` and the documentation are made.
type Kind struct {
	// ID is stable, such as "SPEC-020". One ID has one severity; what is an error
	// here and a warning there is two kinds.
	ID string
	// Title names the fault in a few words. The severity is no part of it.
	Title string
	// Severity of every finding of this kind; empty means Error.
	Severity Severity
	// Fatal kinds keep gpugen from running at all (exit code 2).
	Fatal bool
	// Why says what it would lead to.
	Why string
	// Fix says what to do; a finding may know better.
	Fix string
}

// IDs are the IDs of kinds.
func IDs(kinds []Kind) []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = k.ID
	}
	return out
}

// At makes a finding of this kind. path is the place in the spec, in CUE's form,
// or "". The finding has the kind's Why and Fix; a caller that knows better sets
// them, and Also, on what is returned.
func (k Kind) At(at Position, path, format string, args ...any) Finding {
	return Finding{
		ID:       k.ID,
		Severity: cmp.Or(k.Severity, Error),
		Message:  fmt.Sprintf(format, args...),
		Position: at,
		Path:     path,
		Why:      k.Why,
		Fix:      k.Fix,
		Fatal:    k.Fatal,
	}
}
