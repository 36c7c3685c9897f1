package tree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"

	"github.com/gpugen/gpugen/schema/diag"
)

func TestSecondRunIsTurnedAwayAtOnceAndWritesNothing(t *testing.T) {
	for _, lockFile := range []bool{false, true} {
		for _, exists := range []bool{false, true} {
			t.Run(fmt.Sprintf("lock file %v, directory exists %v", lockFile, exists), func(t *testing.T) {
				top := t.TempDir()
				dir := filepath.Join(top, "tree")
				if exists {
					mustWrite(t, dir, oldTree)
				}
				var second diag.List
				var before, after map[string]string
				first := writer{lockFile: lockFile, step: func(point, path string) error {
					if point == "stage" && path == "z" { // the first run is in the midst of it
						before = everything(t, top)
						second = writeWith(lockFile, dir, files{"other": "1"})
						after = everything(t, top)
					}
					return nil
				}}
				if _, found := first.write(context.Background(), dir, newTree.tree(), meta, Options{}); len(found) > 0 {
					t.Fatalf("first run: %q", texts(found))
				}
				wantFindings(t, dir, second, kindBusy.ID+" .")
				if !second.Fatal() || !strings.Contains(second[0].Message, dir) {
					t.Errorf("finding is %+v", second)
				}
				wantSame(t, "directory after the second run", after, before)
				wantSame(t, "tree", contents(t, dir), newTree)
				if entries, err := os.ReadDir(filepath.Join(dir, metaDir)); err != nil || len(entries) != 1 {
					t.Errorf("in %s lie %v (%v)", metaDir, entries, err)
				}
			})
		}
	}
}

func writeWith(lockFile bool, dir string, f files) diag.List {
	_, found := writer{lockFile: lockFile}.write(context.Background(), dir, f.tree(), meta, Options{})
	return found
}

func TestManyRunsAtOnceLeaveTheTreeOfOne(t *testing.T) {
	for _, lockFile := range []bool{false, true} {
		for round := range 6 {
			top := t.TempDir()
			dir := filepath.Join(top, "clusters", "tree")
			if round%2 == 1 {
				mustWrite(t, dir, files{"old": "1"})
			}
			const runs = 12
			var wg sync.WaitGroup
			results := make([]diag.List, runs)
			for i := range runs {
				wg.Go(func() { results[i] = writeWith(lockFile, dir, numbered(i)) })
			}
			wg.Wait()
			done := 0
			for i, found := range results {
				switch {
				case len(found) == 0:
					done++
				case len(found) > 1 || found[0].ID != kindBusy.ID:
					t.Errorf("run %d: %q", i, texts(found))
				}
			}
			got := contents(t, dir)
			whole := false
			for i := range runs {
				whole = whole || len(results[i]) == 0 && maps.Equal(got, numbered(i))
			}
			if done == 0 || !whole {
				t.Errorf("%d runs wrote, and the tree is of none of them: %v", done, got)
			}
			if _, err := inventoryIn(dir); err != nil {
				t.Error(err)
			}
			if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
				t.Errorf("beside the tree lie %v (%v)", entries, err)
			}
			if entries, err := os.ReadDir(filepath.Join(dir, metaDir)); err != nil || len(entries) != 1 {
				t.Errorf("in %s lie %v (%v)", metaDir, entries, err)
			}
		}
	}
}

func numbered(i int) files {
	f := files{}
	for n := range 10 {
		f[fmt.Sprintf("d%d/f%d", (n+i)%3, n)] = fmt.Sprint(i)
	}
	return f
}

func TestLockOfADirectoryIsFreeAfterAKill(t *testing.T) {
	for _, lockFile := range []bool{false, true} {
		dir := t.TempDir()
		mustWrite(t, dir, oldTree)
		if !(crash{Dir: dir, Tree: newTree, Point: "stage", Path: "z", LockFile: lockFile}).run(t) {
			t.Fatal("the child was not killed")
		}
		if found := writeWith(lockFile, dir, newTree); len(found) > 0 {
			t.Errorf("findings: %q", texts(found))
		}
		if entries, err := os.ReadDir(filepath.Join(dir, metaDir)); err != nil || len(entries) != 1 {
			t.Errorf("in %s lie %v (%v)", metaDir, entries, err)
		}
	}
}

func TestLockOfWhatWasReplacedMeanwhileDoesNotCount(t *testing.T) {
	top := t.TempDir()
	put(t, top, "opened", "1")
	put(t, top, "named", "1")
	opened := flock.New(filepath.Join(top, "opened"))
	for _, named := range []string{"named", "gone"} {
		if _, err := tryLock(opened, filepath.Join(top, named)); !errors.Is(err, errMoved) {
			t.Errorf("%s: the error is %v", named, err)
		}
		if opened.Locked() {
			t.Errorf("%s: the lock is still held", named)
		}
	}
}

func TestDirectoryThatAppearsMeanwhileIsUpdated(t *testing.T) {
	for _, lockFile := range []bool{false, true} {
		top := t.TempDir()
		dir := filepath.Join(top, "tree")
		w := writer{lockFile: lockFile, step: func(point, _ string) error {
			if point == "sibling" {
				put(t, dir, "mine", "theirs")
			}
			return nil
		}}
		if _, found := w.write(context.Background(), dir, newTree.tree(), meta, Options{}); len(found) > 0 {
			t.Fatal(texts(found))
		}
		wantSame(t, "parent", withoutTraces(contents(t, dir)), with(newTree, "mine", "theirs"))
		if entries, err := os.ReadDir(top); err != nil || len(entries) != 1 {
			t.Errorf("beside the tree lie %v (%v)", entries, err)
		}
	}
}

func TestLockFileThroughALinkIsRefused(t *testing.T) {
	outside := t.TempDir()
	for _, p := range []string{metaDir, lockPath} {
		dir := t.TempDir()
		name := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(outside, "x"), name); err != nil {
			t.Fatal(err)
		}
		wantFindings(t, dir, writeWith(true, dir, newTree), kindIO.ID+" .")
	}
	wantSame(t, "outside", contents(t, outside), files{})
}

func TestSiblingOfOthersIsNotCleared(t *testing.T) {
	for _, lockFile := range []bool{false, true} {
		top := t.TempDir()
		dir := filepath.Join(top, "tree")
		put(t, sibling(dir), "precious", "theirs")
		before := everything(t, top)
		found := writeWith(lockFile, dir, newTree)
		wantFindings(t, sibling(dir), found, kindInTheWay.ID+" .")
		wantSame(t, "directory", everything(t, top), before)

		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if found := writeWith(lockFile, dir, newTree); len(found) > 0 {
			t.Errorf("findings: %q", texts(found))
		}
		wantSame(t, "sibling", contents(t, sibling(dir)), files{"precious": "theirs"})
	}
}
