package schema

import (
	"cuelang.org/go/cue/errors"
)

// asCUEError gives any error CUE's interface, keeping positions it has.
func asCUEError(err error) errors.Error {
	return errors.Promote(err, "")
}
