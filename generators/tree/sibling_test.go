package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// killed makes what a run leaves that is killed while it fills the sibling.
func killed(t *testing.T, dir string, f files, at string) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Fatalf("the run never came to %s", at)
		}
	}()
	w := writer{step: func(point, path string) error {
		if point+" "+path == at {
			panic("killed")
		}
		return nil
	}}
	w.write(t.Context(), dir, f.tree(), Meta{}, Options{})
}

func TestWhatAKilledRunLeftIsCleared(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	killed(t, dir, files{"a/b": "1", "c": "2"}, "stage c")
	if _, err := os.Stat(filepath.Join(sibling(dir), "a/b")); err != nil {
		t.Fatal("the run left nothing: ", err)
	}
	mustWrite(t, dir, files{"d": "3"})
	wantSame(t, "directory", contents(t, dir), files{"d": "3"})
	if _, err := os.Lstat(sibling(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the sibling is still there: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, creatingPath)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", creatingPath, err)
	}
}

// A directory in the sibling's place that holds a .gpugen may be anybody's, such
// as a tree that somebody moved there.
func TestForeignFilesInTheSiblingAreKept(t *testing.T) {
	for name, theirs := range map[string]files{
		"a tree":             {".gpugen/inventory.json": "{}", "precious": "theirs"},
		"only their .gpugen": {".gpugen/notes": "theirs"},
		"a list of others":   {".gpugen/creating.json": `["other"]`, "precious": "theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "tree")
			for p, data := range theirs {
				put(t, sibling(dir), p, data)
			}
			before := everything(t, sibling(dir))
			_, found := Write(t.Context(), dir, files{"a": "1"}.tree(), Meta{}, Options{})
			if len(found) != 1 || found[0].ID != kindInTheWay.ID {
				t.Errorf("found %v", texts(found))
			}
			wantSame(t, "sibling", everything(t, sibling(dir)), before)

			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			mustWrite(t, dir, files{"a": "1"})
			wantSame(t, "sibling beside a tree", everything(t, sibling(dir)), before)
		})
	}
}

func TestFilesThatSomebodyAddedToAKilledRunAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	killed(t, dir, files{"a/b": "1", "c": "2"}, "stage c")
	put(t, sibling(dir), "a/precious", "theirs")
	before := everything(t, sibling(dir))
	_, found := Write(t.Context(), dir, files{"d": "3"}.tree(), Meta{}, Options{})
	if len(found) != 1 || found[0].ID != kindInTheWay.ID {
		t.Errorf("found %v", texts(found))
	}
	wantSame(t, "sibling", everything(t, sibling(dir)), before)
}

func TestCancelBeforeTheRenameLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	ctx, cancel := context.WithCancel(t.Context())
	w := writer{step: func(point, _ string) error {
		if point == "rename" {
			cancel()
		}
		return nil
	}}
	_, found := w.write(ctx, dir, files{"a": "1"}.tree(), Meta{}, Options{})
	if len(found) != 1 || found[0].ID != kindCancelled.ID {
		t.Errorf("found %v", texts(found))
	}
	for _, p := range []string{dir, sibling(dir)} {
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", p, err)
		}
	}
}
