package facts_test

import (
	"testing"

	"cuelang.org/go/cue"
)

// What holds for an architecture holds for each of its models.
func TestArchitecturesSayWhatTheirModelsSay(t *testing.T) {
	_, v := loadFacts(t)
	type architecture struct {
		OpenModules, LastBranch string
		OpenModulesByCPU        map[string]string
	}
	architectures := decode[map[string]architecture](t, v, "architectures")
	seen := map[string]bool{}
	for model, g := range decode[map[string]gpu](t, v, "gpus") {
		a, ok := architectures[g.Architecture]
		if !ok {
			t.Errorf("%s: architecture %s has no facts", model, g.Architecture)
			continue
		}
		seen[g.Architecture] = true
		want := a.OpenModules
		cpu, _ := v.LookupPath(cue.MakePath(cue.Str("gpus"), cue.Str(model), cue.Str("cpuArch"))).String()
		if with := a.OpenModulesByCPU[cpu]; with != "" {
			want = with
		}
		if g.OpenModules != want || g.Driver.LastBranch != a.LastBranch {
			t.Errorf("%s: openModules %q, lastBranch %q; its architecture has %q, %q", model, g.OpenModules, g.Driver.LastBranch, want, a.LastBranch)
		}
	}
	if len(seen) != len(architectures) {
		t.Errorf("%d architectures with models, of %d", len(seen), len(architectures))
	}
}
