package main

// Bars are a quarter above what was reached on the slowest example in November 2026,
// on two cores that other work shared.
const (
	vetBar        = 0.70 // of cue vet
	vetLateBar    = 1.00
	renderBar     = 0.60 // of cue export and kustomize build of each directory
	renderLateBar = 0.80
	stdoutBar     = 0.60
	againBar      = 0.30 // of a render that evaluates
	pluginBar     = 1.00 // of cue vet, whatever was reached
	pluginLateBar = 0.80
	memoryBar     = 180 // MiB at the peak, of each example

	// doublingBar is how many times as much a spec of the double size may take.
	doublingBar = 2.3
	// growingRuns of each size; the large ones take long.
	growingRuns = 2
)
