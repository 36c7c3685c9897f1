package schema

import "embed"

// files holds what users may write, the facts and the rules.
//
//go:embed spec/*.cue facts/*.cue facts/charts rule/*.cue rules/*.cue
var files embed.FS
