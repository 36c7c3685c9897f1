// Package templates owns the components that gpugen can render, and the guides of
// a tree, as CUE. Its Go side only embeds them.
package templates

import "embed"

// Files holds templates/*.cue.
//
//go:embed *.cue
var Files embed.FS
