// Package manifests owns facts about manifests as such: what Argo CD reads of them, and
// which kinds the API server has. Its Go side only embeds them.
package manifests

import "embed"

// Files holds the CUE of this package, and the fields of Argo CD's kinds as JSON.
//
//go:embed *.cue argocd_fields.json
var Files embed.FS
