// Package sample says which of many cases a test tries: all of them in the long
// run of `make test-all`, a part of them in CI, otherwise few; always the same ones.
// Nothing but tests may import it.
package sample

import (
	"flag"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
)

// Variable, when not empty, makes a run a long one: every test tries all its cases, or
// one in so many as it says.
const Variable = "GPUGEN_LONG"

// SeedVariable changes which cases are drawn.
const SeedVariable = "GPUGEN_SEED"

// Long tells whether a run is a long one; so is that of a person who names a case with
// `go test -run TEST/CASE`.
func Long() bool { return os.Getenv(Variable) != "" || named() }

// All tells whether a run tries all cases there are, so that what none of them had is a fault.
func All() bool { return os.Getenv(Variable) == "1" }

func named() bool {
	run := flag.Lookup("test.run")
	return run != nil && strings.Contains(run.Value.String(), "/")
}

// Draws tells whether a case is tried: one in so many, in a long run as Variable says.
// A case is drawn by its name alone, so that a new one changes nothing for the others.
func Draws(name string, oneIn uint32) bool {
	if named() {
		return true
	}
	if os.Getenv(Variable) != "" {
		oneIn = min(oneIn, part())
	}
	h := fnv.New32a()
	h.Write([]byte(os.Getenv(SeedVariable) + name))
	// The lowest bits of this hash alone follow the last letter.
	return h.Sum32()>>7%oneIn == 0
}

// Some tells whether a case is tried: in a long run each is, otherwise one in so many.
func Some(name string, oneIn uint32) bool { return Long() || Draws(name, oneIn) }

// Times is how often a loop runs.
func Times(long, short int) int {
	if Long() {
		return long
	}
	return short
}

// Random is how many random cases are drawn: in a long run all, or one in so many as
// Variable says, but never fewer than in a short one.
func Random(long, short int) int {
	if os.Getenv(Variable) == "" || named() {
		return Times(long, short)
	}
	return max(short, long/int(part()))
}

// part is one in how many cases a long run tries.
func part() uint32 {
	n, err := strconv.ParseUint(os.Getenv(Variable), 10, 32)
	if err != nil || n == 0 {
		panic(Variable + " is a number, such as 1 for all cases")
	}
	return uint32(n)
}
