package tree

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/schema/diag"
)

// compared compares and checks that nothing was written.
func compared(t *testing.T, dir string, f files, m Meta) (Changes, diag.List) {
	t.Helper()
	before := everything(t, filepath.Dir(dir))
	c, found := Compare(dir, f.tree(), m)
	wantSame(t, "directory after compare", everything(t, filepath.Dir(dir)), before)
	return c, found
}

func TestCompareOfACurrentTreeFindsNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	mustWrite(t, dir, newTree)
	put(t, dir, "mine", "theirs")
	c, found := compared(t, dir, newTree, meta)
	wantFindings(t, dir, found)
	if c.Any() || len(c.Unchanged) != len(newTree)+1 {
		t.Errorf("changes are %+v", c)
	}
}

func TestCompareNamesEachFileThatDrifted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	mustWrite(t, dir, files{"same": "1", "stale": "1", "lost": "1", "edited": "1", "extra": "1", "extra-edited": "1", "extra-lost": "1", "adopted": "1"})
	put(t, dir, "edited", "by hand")
	put(t, dir, "extra-edited", "by hand")
	put(t, dir, "foreign", "theirs")
	put(t, dir, "adopted", "2")
	put(t, dir, "mine", "theirs")
	for _, p := range []string{"lost", "extra-lost"} {
		if err := os.Remove(filepath.Join(dir, p)); err != nil {
			t.Fatal(err)
		}
	}
	c, found := compared(t, dir, files{"same": "1", "stale": "2", "lost": "1", "edited": "1", "foreign": "1", "adopted": "2", "new": "1"}, meta)
	wantFindings(t, dir, found, kindDiffers.ID+" stale", kindMissing.ID+" lost", kindMissing.ID+" new", kindEdited.ID+" edited", kindExtra.ID+" extra", kindEdited.ID+" extra-edited",
		kindForeign.ID+" foreign", kindDiffers.ID+" "+inventoryPath)
	if !slices.Equal(c.Created, []string{"lost", "new"}) || !slices.Equal(c.Updated, []string{inventoryPath, "edited", "foreign", "stale"}) ||
		!slices.Equal(c.Deleted, []string{"extra", "extra-edited"}) || !slices.Equal(c.Unchanged, []string{"adopted", "same"}) {
		t.Errorf("changes are %+v", c)
	}
	for _, f := range found {
		if f.Severity != diag.Error {
			t.Errorf("%s is a %s", f.ID, f.Severity)
		}
	}
}

func TestCompareSaysWhatChangedInTheInventory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	mustWrite(t, dir, newTree)
	m := meta
	m.Version = "1.3.0"
	m.Charts = map[string]string{"a": "sha256:cd"}
	_, found := compared(t, dir, newTree, m)
	wantFindings(t, dir, found, kindDiffers.ID+" "+inventoryPath)
	if want := "out of date: gpugen's version (1.2.3, now 1.3.0), the vendored charts changed"; len(found) > 0 && !strings.HasSuffix(found[0].Message, want) {
		t.Errorf("message is %q", found[0].Message)
	}
}

func TestCompareWarnsOfWhatArgoCDWouldPrune(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	mustWrite(t, dir, newTree)
	m := meta
	m.Guarded = nil
	_, found := compared(t, dir, newTree, m)
	wantFindings(t, dir, found, kindDiffers.ID+" "+inventoryPath, kindPrune.ID+" "+inventoryPath, kindPrune.ID+" "+inventoryPath)
	for _, f := range found {
		if f.ID == kindPrune.ID && f.Severity != diag.Warning {
			t.Errorf("%q is a %s", f.Message, f.Severity)
		}
	}
}

func TestCompareOfADirectoryThatDoesNotExist(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	c, found := compared(t, dir, newTree, meta)
	wantFindings(t, dir, found, kindMissing.ID+" .")
	if len(c.Created) != len(newTree)+1 {
		t.Errorf("changes are %+v", c)
	}
}

func TestCompareOfWhatCannotBeCompared(t *testing.T) {
	top := t.TempDir()
	put(t, top, "file", "theirs")
	_, found := Compare(filepath.Join(top, "file"), newTree.tree(), meta)
	wantFindings(t, filepath.Join(top, "file"), found, kindInTheWay.ID+" .")

	dir := filepath.Join(top, "broken")
	mustWrite(t, dir, newTree)
	put(t, dir, inventoryPath, "<<<<<<<")
	_, found = compared(t, dir, newTree, meta)
	wantFindings(t, dir, found, kindInventory.ID+" "+inventoryPath)

	linked := filepath.Join(top, "linked")
	if err := os.Mkdir(linked, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(linked, metaDir)); err != nil {
		t.Fatal(err)
	}
	_, found = compared(t, linked, newTree, meta)
	wantFindings(t, linked, found, kindLink.ID+" "+metaDir)
}
