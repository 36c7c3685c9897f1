// Package templates owns the components that gpugen can render, as CUE, and the
// scaffolds of `gpugen init`. Its Go side only embeds them.
package templates

import "embed"

// Files holds templates/*.cue and templates/_static.
//
//go:embed *.cue all:_static
var Files embed.FS
