package source

import (
	"os"
	"path/filepath"
	"testing"
)

// A directory whose rights are taken away while it is read is a finding like any other.
func TestADirectoryThatIsEmptyWhenReadAgain(t *testing.T) {
	dir := t.TempDir()
	r := &reader{in: Input{Path: dir}, files: NewFiles(dir)}
	if text := r.cue(dir, nil); text != nil || len(r.found) != 1 || r.found[0].ID != unreadable.ID || r.found[0].Position.File == "" {
		t.Errorf("found %+v", r.found)
	}
}

// A file that is larger than any spec is not read to learn its package.
func TestALargeFileMayBePartOfACluster(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.cue")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("package other\n"); err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int64]bool{DefaultSize: false, DefaultSize + 1: true} {
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		if got := declaresCluster(file, entries[0]); got != want {
			t.Errorf("%d bytes: %v, want %v", size, got, want)
		}
	}
}
