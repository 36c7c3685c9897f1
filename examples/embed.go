package examples

import "embed"

// Files holds each example's spec and its README.
//
//go:embed */cluster.cue */README.md
var Files embed.FS
