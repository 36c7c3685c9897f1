package tree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// interrupted returns a directory whose write from oldTree to newTree was killed
// before it replaced the file.
func interrupted(t *testing.T, before string) string {
	t.Helper()
	dir := t.TempDir()
	mustWrite(t, dir, oldTree)
	if !(crash{Dir: dir, Tree: newTree, Point: "apply", Path: before}).run(t) {
		t.Fatal("the child was not killed")
	}
	return dir
}

func TestChangeByHandAfterAKillIsNotLost(t *testing.T) {
	for _, p := range []string{"README.md", "z", "new/c"} { // replaced already, not yet, to be created
		dir := interrupted(t, "new/c")
		put(t, dir, p, "by hand")
		refused(t, dir, newTree, Options{}, kindEdited.ID+" "+p)
		forced(t, dir, newTree, newTree)
	}
}

func TestLostStageIsSaidAndForceRendersOver(t *testing.T) {
	third := files{"only": "this"}
	dir := interrupted(t, "new/c")
	if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(stageDir))); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, newTree, Options{}, kindUnfinished.ID+" new/c", kindUnfinished.ID+" x/b", kindUnfinished.ID+" x/deep/a", kindUnfinished.ID+" y",
		kindUnfinished.ID+" z", kindUnfinished.ID+" "+inventoryPath)
	forced(t, dir, third, third) // what the killed run had put in place goes too
}

func TestTamperedStageIsNotUsed(t *testing.T) {
	dir := interrupted(t, "z")
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(stageDir)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		put(t, dir, stageDir+"/"+e.Name(), "evil")
	}
	refused(t, dir, newTree, Options{}, kindUnfinished.ID+" z", kindUnfinished.ID+" "+inventoryPath)
}

func TestBrokenJournalIsSaidAndForceRendersOver(t *testing.T) {
	good := hashOf([]byte("1"))
	end := `{"path":".gpugen/inventory.json","new":"` + good + `"}`
	for name, data := range map[string]string{
		"empty":          "",
		"newer":          `{"format":2,"ops":[` + end + `]}`,
		"nothing":        `{"format":1,"ops":[]}`,
		"escapes":        `{"format":1,"ops":[{"path":"../secret","old":"` + hashOf([]byte("s")) + `"},` + end + `]}`,
		"git":            `{"format":1,"ops":[{"path":".git/config","new":"` + good + `"},` + end + `]}`,
		"no hashes":      `{"format":1,"ops":[{"path":"a"},` + end + `]}`,
		"strange hash":   `{"format":1,"ops":[{"path":"a","new":"x"},` + end + `]}`,
		"no inventory":   `{"format":1,"ops":[{"path":"a","new":"` + good + `"}]}`,
		"inventory goes": `{"format":1,"ops":[{"path":".gpugen/inventory.json","old":"` + good + `"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "tree")
			put(t, top, "secret", "s")
			put(t, dir, stageDir+"/0", "1")
			put(t, dir, stageDir+"/1", "1")
			put(t, dir, journalPath, data)
			refused(t, dir, files{"b": "1"}, Options{}, kindUnfinished.ID+" "+journalPath)
			if _, found := Compare(dir, files{"b": "1"}.tree(), meta); !slices.Contains(ids(found), kindUnfinished.ID) {
				t.Errorf("compare says %q", texts(found))
			}
			forced(t, dir, files{"b": "1"}, files{"b": "1"})
			wantSame(t, "outside", files{"secret": contents(t, top)["secret"]}, files{"secret": "s"})
		})
	}
}

func TestRecoveryFollowsNoLink(t *testing.T) {
	outside := t.TempDir()
	dir := interrupted(t, "new/c")
	if err := os.Symlink(outside, filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		refused(t, dir, newTree, Options{Force: force}, kindLink.ID+" new")
	}
	wantSame(t, "outside", contents(t, outside), files{})
}

func TestDirectoriesThatAKilledRunHadEmptiedAreRemoved(t *testing.T) {
	dir := interrupted(t, "gone/a/b")
	for _, p := range []string{"gone/a/b", "y/b", "y/deep/a"} { // killed after the removals, before their directories
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(p))); err != nil {
			t.Fatal(err)
		}
	}
	mustWrite(t, dir, newTree)
	wantSame(t, "tree", contents(t, dir), newTree)
}

func TestRefusedWriteStillFinishesTheEarlierRun(t *testing.T) {
	dir := interrupted(t, "z")
	put(t, dir, "foreign", "theirs")
	_, found := Write(context.Background(), dir, files{"foreign": "1"}.tree(), meta, Options{})
	wantFindings(t, dir, found, kindForeign.ID+" foreign")
	wantSame(t, "tree", contents(t, dir), with(newTree, "foreign", "theirs"))
}

func TestPendingFindingCountsWhatIsLeft(t *testing.T) {
	dir := interrupted(t, inventoryPath)
	_, found := Compare(dir, newTree.tree(), meta)
	for _, f := range found {
		if f.ID == kindPending.ID && strings.Contains(f.Message, ": 1 of 11 files") {
			return
		}
	}
	t.Errorf("compare says %q", texts(found))
}
