package load_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpugen/gpugen/internal/anyspec"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/load"
	"github.com/gpugen/gpugen/schema/shape"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

// What is one mistake away from what the schema takes is a finding on the line of the
// mistake, whatever else the spec says.
func TestEveryMistakeInAnySpecIsFoundOnItsLine(t *testing.T) {
	draws, err := anyspec.Repository("../..")
	if err != nil {
		t.Fatal(err)
	}
	e, err := knowledge.New()
	if err != nil {
		t.Fatal(err)
	}
	schema := shape.New(e)
	n := 0
	loaded := func(spec map[string]any) (*spectest.Written, map[int]bool, []string) {
		if n++; n%1000 == 0 {
			// A context keeps everything that it has seen.
			if e, err = knowledge.New(); err != nil {
				t.Fatal(err)
			}
			schema = shape.New(e)
		}
		written := spectest.Write("yaml", spectest.Ordered(spec).(spectest.Tree))
		_, found := load.Load(e, schema, source.Input{Path: "-", Stdin: strings.NewReader(written.Text.String())})
		lines := map[int]bool{}
		for _, f := range found {
			lines[f.Position.Line] = true
		}
		spectest.CheckFindings(t, found, map[string]string{source.StdinName: written.Text.String()})
		return written, lines, spectest.Brief(found)
	}
	specs, mistakes := 0, 0
	anyspec.Check(t, 40, 2, func(t *rapid.T) {
		spec := draws.Good(t)
		for range rapid.IntRange(0, 12).Draw(t, "changes") {
			changed := draws.Change(t, spec).Apply(spec)
			if _, _, found := loaded(changed); len(found) == 0 {
				spec = changed
			}
		}
		specs++
		all := draws.Mutations(spec)
		for range 50 {
			mistakes++
			m := rapid.SampledFrom(all).Draw(t, "mistake")
			written, lines, found := loaded(m.Spec)
			at, ok := written.Places[source.PathString(m.At)]
			if len(m.At) == 0 {
				at, ok = [2]int{1, 1}, true
			}
			if !ok || !lines[at[0]] {
				t.Fatalf("%s, at %s in line %d: found %v\n%s", m.What, source.PathString(m.At), at[0], found, written.Text.String())
			}
		}
	})
	t.Logf("%d specs, %d mistakes", specs, mistakes)
}
