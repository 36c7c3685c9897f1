// Package imported owns what a spec says of things that people have already, as CUE.
// Its Go side only embeds it.
package imported

import "embed"

// Files holds schema/imported/*.cue.
//
//go:embed *.cue
var Files embed.FS
