package anyspec

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpugen/gpugen/internal/sample"
)

// TimesVariable is how often to draw, where a person wants more than CI.
const TimesVariable = "GPUGEN_SPECS"

// Check checks something with so many random values: more in a long run. They are
// the same each time, unless sample.SeedVariable says otherwise.
func Check(t *testing.T, long, short int, check func(*rapid.T)) {
	t.Helper()
	times, seed := sample.Random(long, short), "1"
	if said, err := strconv.Atoi(os.Getenv(TimesVariable)); err == nil {
		times = said
	}
	if said := os.Getenv(sample.SeedVariable); said != "" {
		seed = said
	}
	for name, value := range map[string]string{"checks": strconv.Itoa(times), "seed": seed, "nofailfile": "true"} {
		if err := flag.Set("rapid."+name, value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, check)
}
