package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpugen/gpugen/schema"
)

func TestOnlyFilesThatEndAreReadForTheirPackage(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"a.cue": schema.DefaultSize, "large.cue": schema.DefaultSize + 1} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "device.cue")); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]bool{"a.cue": true, "large.cue": false, "device.cue": false, "absent.cue": false, ".": false} {
		if got := textOf(filepath.Join(dir, name)) != nil; got != want {
			t.Errorf("%s: read is %v, want %v", name, got, want)
		}
	}
}
