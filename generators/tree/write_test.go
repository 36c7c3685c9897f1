package tree

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestNewDirectoryHoldsTheTreeAndTheInventoryOnly(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "clusters", "research", "tree")
	want := files{"README.md": "hello\n", "a/b/c.yaml": "c: 1\n", "empty": ""}
	c := mustWrite(t, dir, want)
	wantSame(t, "contents", contents(t, dir), want)
	if want := []string{".gpugen/inventory.json", "README.md", "a/b/c.yaml", "empty"}; !slices.Equal(c.Created, want) || len(c.Updated)+len(c.Deleted)+len(c.Unchanged) > 0 {
		t.Errorf("changes are %+v, want created %q", c, want)
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the tree lie %v (%v)", entries, err)
	}
	entries, err = os.ReadDir(filepath.Join(dir, metaDir))
	if err != nil || len(entries) != 1 {
		t.Errorf("in %s lie %v (%v)", metaDir, entries, err)
	}
}

func TestUpdateReplacesAddsAndRemoves(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, files{"keep": "1", "change": "1", "old/deep/gone": "1", "old2/gone": "1"})
	put(t, dir, "old2/mine", "m")
	next := files{"keep": "1", "change": "2", "new/here": "1"}
	c := mustWrite(t, dir, next)
	want := maps.Clone(next)
	want["old2/mine"] = "m"
	wantSame(t, "contents", contents(t, dir), want)
	for what, lists := range map[string][2][]string{
		"created":   {c.Created, {"new/here"}},
		"updated":   {c.Updated, {inventoryPath, "change"}},
		"deleted":   {c.Deleted, {"old/deep/gone", "old2/gone"}},
		"unchanged": {c.Unchanged, {"keep"}},
	} {
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s: %q, want %q", what, lists[0], lists[1])
		}
	}
}

func TestUnchangedTreeTouchesNothing(t *testing.T) {
	dir := t.TempDir()
	f := files{"a": "1", "b/c": "2"}
	mustWrite(t, dir, f)
	long := time.Now().Add(-48 * time.Hour)
	walkNames(t, dir, func(name string) {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.Chtimes(dir, long, long); err != nil {
		t.Fatal(err)
	}
	before := everything(t, dir)
	if c := mustWrite(t, dir, f); c.Any() || len(c.Unchanged) != 3 {
		t.Errorf("changes are %+v", c)
	}
	wantSame(t, "files", everything(t, dir), before)
	walkNames(t, dir, func(name string) {
		info, err := os.Stat(name)
		if err != nil || !info.ModTime().Equal(long) {
			t.Errorf("%s has a new time (%v)", name, err)
		}
	})
}

// walkNames visits what is below dir, the deepest first.
func walkNames(t *testing.T, dir string, visit func(name string)) {
	t.Helper()
	for _, p := range slices.Backward(slices.Sorted(maps.Keys(everything(t, dir)))) {
		visit(filepath.Join(dir, filepath.FromSlash(p)))
	}
}

func TestEqualFilesKeepTheirTimeWhenOthersChange(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, files{"a": "1", "b": "1"})
	before := everything(t, dir)["a"]
	mustWrite(t, dir, files{"a": "1", "b": "2"})
	if after := everything(t, dir)["a"]; after != before {
		t.Errorf("a was %s, is %s", before, after)
	}
}

func TestFileAndDirectoryCanChangePlaces(t *testing.T) {
	dir := t.TempDir()
	one := files{"x": "file", "y/deep/a": "1", "y/b": "2"}
	two := files{"x/deep/a": "1", "x/b": "2", "y": "file"}
	for _, f := range []files{one, two, one} {
		mustWrite(t, dir, f)
		wantSame(t, "contents", contents(t, dir), f)
	}
}

func TestEmptyDirectoryIsFilled(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, files{"a": "1"})
	wantSame(t, "contents", contents(t, dir), files{"a": "1"})
}

func TestDirectoryMayBeALinkItself(t *testing.T) {
	top := t.TempDir()
	real := filepath.Join(top, "real")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, "link")
	if err := os.Symlink("real", dir); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, files{"a": "1"})
	wantSame(t, "contents", contents(t, real), files{"a": "1"})
}

func TestMissingFileIsWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, files{"a/b": "1", "c": "1"})
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, files{"a/b": "1", "c": "1"})
	wantSame(t, "contents", contents(t, dir), files{"a/b": "1", "c": "1"})
}

func TestFileThatIsGoneAlreadyNeedsNoRemoval(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, files{"a/b": "1", "c": "1"})
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a", "a person's file where the directory was")
	if c := mustWrite(t, dir, files{"c": "1"}); len(c.Deleted) > 0 {
		t.Errorf("deleted %q", c.Deleted)
	}
	wantSame(t, "contents", contents(t, dir), files{"a": "a person's file where the directory was", "c": "1"})
}

func TestCancelledBeforeTheStartDoesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p", "tree")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, found := Write(ctx, dir, files{"a": "1"}.tree(), meta, Options{})
	wantFindings(t, dir, found, kindCancelled.ID+" .")
	if _, err := os.Stat(filepath.Dir(dir)); err == nil {
		t.Error("the parent was created")
	}
}
