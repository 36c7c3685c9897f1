// Package rule owns the form of a rule, as CUE. Its Go side only embeds it.
package rule

import "embed"

// Files holds schema/rule/*.cue.
//
//go:embed *.cue
var Files embed.FS
