// Package rules owns the rules, as CUE. Its Go side only embeds them.
package rules

import "embed"

// Files holds schema/rules/*.cue.
//
//go:embed *.cue
var Files embed.FS
