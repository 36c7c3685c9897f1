package anyspec

import (
	"flag"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/internal/sample"
)

// TimesVariable is how often to draw, where a person wants more than CI.
const TimesVariable = "GPUGEN_SPECS"

// severalOf draws aims for one spec, of which no two are values of one field.
func severalOf(rare []aim) *rapid.Generator[[]aim] {
	fields := map[string]bool{}
	for _, a := range rare {
		fields[a.place.path] = true
	}
	field := func(a aim) string { return a.place.path }
	return rapid.SliceOfNDistinct(rapid.SampledFrom(rare), min(4, len(fields)), 10, field)
}

// drawing is how often to draw, and from which seed on.
func drawing(t testing.TB, long, short int) (times, seed int) {
	t.Helper()
	times, seed = sample.Random(long, short), 1
	for name, into := range map[string]*int{TimesVariable: &times, sample.SeedVariable: &seed} {
		said := os.Getenv(name)
		if said == "" {
			continue
		}
		n, err := strconv.Atoi(said)
		if err != nil {
			t.Fatalf("%s is a number: %v", name, err)
		}
		*into = n
	}
	return times, seed
}

// Check checks something with so many random values: more in a long run. They are
// the same each time, unless sample.SeedVariable says otherwise.
func Check(t *testing.T, long, short int, check func(*rapid.T)) {
	t.Helper()
	times, seed := drawing(t, long, short)
	for name, value := range map[string]string{"checks": strconv.Itoa(times), "seed": strconv.Itoa(seed), "nofailfile": "true"} {
		if err := flag.Set("rapid."+name, value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, check)
}

const (
	// faultsEnough is after how many faulty specs a run ends.
	faultsEnough = 5
	// shrinkTime is for making a faulty spec smaller.
	shrinkTime = time.Minute
)

// Each draws so many random valid specs, more in a long run, and checks something with
// each. What is drawn next is what the ones before have said least; the same specs come
// each time, unless sample.SeedVariable says otherwise. A spec that fails, by the judge
// or by the check, is made smaller and printed, and others follow.
func (s *Source) Each(t *testing.T, long, short int, judge Judge, check func(spec map[string]any) error) {
	t.Helper()
	times, seed := drawing(t, long, short)
	defer func(good []map[string]any) { s.good = good }(s.good)
	said, tried, faults := map[string]int{}, map[string]int{}, 0
	fails := func(spec map[string]any) error {
		findings, err := judge(spec)
		if err != nil || findings.HasErrors() {
			return err
		}
		return check(spec)
	}
	for i := range times {
		rare := s.rare(said, tried)
		var aims []aim
		var err error
		spec := rapid.Custom(func(t *rapid.T) map[string]any {
			var spec map[string]any
			aims = severalOf(rare).Draw(t, "rare")
			spec, err = s.valid(t, aims, judge)
			return spec
		}).Example(seed*1_000_000 + s.Series*100_000 + i)
		if err == nil {
			err = check(spec)
		}
		for _, a := range aims {
			tried[a.String()]++
		}
		if before := len(said); err == nil {
			if s.Said(spec, said); len(said) > before {
				s.good = append(s.good, spec) // others that say much the same begin with it
			}
			continue
		}
		smaller := Smaller(spec, shrinkTime, func(spec map[string]any) bool { return fails(spec) != nil })
		if words := fails(smaller); words != nil {
			err = words
		}
		data, _ := yaml.Marshal(smaller)
		t.Errorf("spec %d of seed %d: %v\n%s", i, seed, err, data)
		if faults++; faults == faultsEnough {
			t.Fatalf("%d specs failed: the rest was not drawn", faults)
		}
	}
	all := s.All()
	missing := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return said[name] > 0 })
	t.Logf("%d specs of seed %d; %d of %d fields and values said", times, seed, len(all)-len(missing), len(all))
	if os.Getenv(TimesVariable) != "" {
		for _, name := range missing {
			t.Logf("not said, in %d tries: %s", tried[name], name)
		}
	}
}
