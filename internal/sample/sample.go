// Package sample says which of many cases a test tries: all of them in the long
// run of `make test-all`, otherwise few that are always the same. Nothing but
// tests may import it.
package sample

import (
	"flag"
	"hash/fnv"
	"os"
	"strings"
)

// Variable, when not empty, has every test try all its cases.
const Variable = "GPUGEN_LONG"

// SeedVariable changes which cases are drawn.
const SeedVariable = "GPUGEN_SEED"

// Long tells whether all cases are to be tried: in a long run, or if a person
// names a case with `go test -run TEST/CASE`.
func Long() bool {
	if os.Getenv(Variable) != "" {
		return true
	}
	run := flag.Lookup("test.run")
	return run != nil && strings.Contains(run.Value.String(), "/")
}

// Draws tells whether a case is tried: always in a long run, else one in so many.
// A case is drawn by its name alone, so that a new one changes nothing for the others.
func Draws(name string, oneIn uint32) bool {
	if Long() {
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(os.Getenv(SeedVariable) + name))
	// The lowest bits of this hash alone follow the last letter.
	return h.Sum32()>>7%oneIn == 0
}

// Times is how often a loop runs.
func Times(long, short int) int {
	if Long() {
		return long
	}
	return short
}
