// Package spec owns what a user may write, as CUE. Its Go side only embeds it.
package spec

import "embed"

// Files holds schema/spec/*.cue.
//
//go:embed *.cue
var Files embed.FS
