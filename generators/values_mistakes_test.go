package generators_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/internal/anyspec"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/diag"
	places "github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

// The schema takes any Helm values. One misspelt key or one value of another type in
// those of a spec is a finding on its line all the same, or changes the tree: none is
// without effect, in silence.
func TestEveryMistakeInHelmValuesIsFoundOrChangesTheTree(t *testing.T) {
	draws, err := anyspec.Repository("..")
	if err != nil {
		t.Fatal(err)
	}
	specs, onLine, inTree := 0, 0, 0
	anyspec.Check(t, 60, 2, func(t *rapid.T) {
		begin, made := draws.BeginWithValues(t)
		var result *generators.Result
		spec, err := anyspec.Kept(begin, made, func(spec map[string]any) (findings diag.List, err error) {
			result, findings, err = judged(text(spec))
			return findings, err
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, text(spec))
		}
		specs++
		all := draws.ValueMutations(spec)
		if len(all) == 0 {
			return // of values that were taken back
		}
		for range min(sample.Times(8, 2), len(all)) {
			m := all[rapid.IntRange(0, len(all)-1).Draw(t, "mistake")]
			written := spectest.Write("yaml", spectest.Ordered(m.Spec).(spectest.Tree))
			changed, findings := renderText(t, written.Text.String())
			lines := map[int]bool{}
			for path, at := range written.Places {
				if places.Below(places.PathString(m.At), path) {
					lines[at[0]] = true
				}
			}
			if len(lines) == 0 {
				t.Fatalf("%s stands nowhere\n%s", places.PathString(m.At), written.Text.String())
			}
			switch {
			case slices.ContainsFunc(findings, func(f diag.Finding) bool { return lines[f.Position.Line] }):
				onLine++
			case changed != nil && !sameTrees(result, changed):
				inTree++
			default:
				t.Fatalf("%s, at %s: found %v\n%s", m.What, places.PathString(m.At), spectest.Brief(findings), written.Text.String())
			}
		}
	})
	t.Logf("%d specs; %d mistakes found on their line, %d in another tree", specs, onLine, inTree)
}

func sameTrees(a, b *generators.Result) bool {
	first, second := a.Tree.Files(), b.Tree.Files()
	if len(first) != len(second) {
		return false
	}
	for i, f := range first {
		if f.Path != second[i].Path || !bytes.Equal(f.Data, second[i].Data) {
			return false
		}
	}
	return true
}
