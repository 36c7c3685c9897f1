// Package facts owns facts about GPUs, platforms and charts, as CUE, and the
// indexes of charts. Its Go side only embeds them.
package facts

import "embed"

// Files holds schema/facts/*.cue and schema/facts/charts.
//
//go:embed *.cue charts
var Files embed.FS
