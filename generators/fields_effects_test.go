package generators_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpugen/gpugen/examples"
)

// What each spec of testdata/fields leads to is said beside it, with its source: by
// then a setting that is no default has its exact effect.
func TestExamplesOfFieldsLeadToWhatIsExpected(t *testing.T) {
	for _, b := range fieldBases(t) {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range b.effect().files {
				file := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			objects, err := examples.LoadTree(dir)
			if err != nil {
				t.Fatal(err)
			}
			failures, err := examples.Check(filepath.Join("testdata", "fields", b.name+".expect.cue"), examples.SectionTree, objects)
			if err != nil {
				t.Error(err)
			}
			for _, failure := range failures {
				t.Error(failure)
			}
		})
	}
}
