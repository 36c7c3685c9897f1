package rendered

import "github.com/gpugen/gpugen/schema/diag"

// also is the other side of a finding.
func also(note string, at diag.Position) []diag.Place {
	return []diag.Place{{Position: at, Note: note}}
}
