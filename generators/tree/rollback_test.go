package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// failAt makes the n-th step fail with the error, counts the steps and notes the
// last one.
func failAt(n int, err error, steps *int, last *string) func(point, path string) error {
	return func(point, _ string) error {
		*steps++
		*last = point
		if *steps-1 == n {
			return err
		}
		return nil
	}
}

func TestErrorAtAnyStepLeavesTheOldTree(t *testing.T) {
	for n := 0; ; n++ {
		dir := t.TempDir()
		mustWrite(t, dir, oldTree)
		put(t, dir, "gone/mine", "theirs")
		before := everything(t, dir)
		steps, last := 0, ""
		w := writer{step: failAt(n, &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, &steps, &last)}
		c, found := w.write(context.Background(), dir, newTree.tree(), meta, Options{})
		if last == "committed" { // after the last rename
			wantSame(t, "tree", withoutTraces(contents(t, dir)), with(newTree, "gone/mine", "theirs"))
			wantFindings(t, dir, found, kindIO.ID+" .")
			mustWrite(t, dir, newTree)
			wantSame(t, "tree", contents(t, dir), with(newTree, "gone/mine", "theirs"))
			if n < 20 {
				t.Errorf("only %d steps", n)
			}
			return
		}
		wantFindings(t, dir, found, kindIO.ID+" .")
		if !found.Fatal() || c.Any() || !strings.Contains(found[0].Message, syscall.ENOSPC.Error()) {
			t.Errorf("step %d: changes %+v, findings %q", n, c, texts(found))
		}
		wantSame(t, "directory", everything(t, dir), before)
	}
}

func TestCancelAtAnyStepLeavesTheOldTreeOrTheNewOne(t *testing.T) {
	for n := 0; ; n++ {
		dir := t.TempDir()
		mustWrite(t, dir, oldTree)
		before := everything(t, dir)
		ctx, cancel := context.WithCancel(context.Background())
		steps := 0
		w := writer{step: func(string, string) error {
			if steps++; steps-1 == n {
				cancel()
			}
			return nil
		}}
		_, found := w.write(ctx, dir, newTree.tree(), meta, Options{})
		cancel()
		if len(found) == 0 {
			wantSame(t, "tree", contents(t, dir), newTree)
			if n < 20 {
				t.Errorf("only %d steps", n)
			}
			return
		}
		wantFindings(t, dir, found, kindCancelled.ID+" .")
		wantSame(t, "directory", everything(t, dir), before)
	}
}

func TestErrorAtAnyStepLeavesNoNewDirectory(t *testing.T) {
	stop := errors.New("stop")
	for n := 0; ; n++ {
		top := t.TempDir()
		dir := filepath.Join(top, "a", "b", "tree")
		steps, last := 0, ""
		w := writer{step: failAt(n, stop, &steps, &last)}
		_, found := w.write(context.Background(), dir, newTree.tree(), meta, Options{})
		if steps <= n {
			wantSame(t, "tree", contents(t, dir), newTree)
			return
		}
		wantFindings(t, dir, found, kindIO.ID+" .")
		wantSame(t, "parent", everything(t, top), map[string]string{})
	}
}

func TestFileThatChangesWhileGpugenWritesIsKept(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"edited in place": func(dir string) error { return os.WriteFile(filepath.Join(dir, "z"), []byte("by hand"), 0o644) },
		"replaced": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "z")), os.WriteFile(filepath.Join(dir, "z"), []byte("by hand"), 0o644))
		},
		"removed": func(dir string) error { return os.Remove(filepath.Join(dir, "z")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mustWrite(t, dir, oldTree)
			want := with(oldTree, "z", "by hand")
			if name == "removed" {
				delete(want, "z")
			}
			w := writer{step: func(point, path string) error {
				if point == "apply" && path == "z" {
					return change(dir)
				}
				return nil
			}}
			_, found := w.write(context.Background(), dir, newTree.tree(), meta, Options{})
			wantFindings(t, dir, found, kindEdited.ID+" z")
			wantSame(t, "tree", contents(t, dir), want)
		})
	}
}

func TestFileThatAppearsWhileGpugenWritesIsKept(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, oldTree)
	w := writer{step: func(point, path string) error {
		if point == "apply" && path == "new/c" {
			put(t, dir, "new/c", "theirs")
		}
		return nil
	}}
	_, found := w.write(context.Background(), dir, newTree.tree(), meta, Options{})
	wantFindings(t, dir, found, kindEdited.ID+" new/c")
	wantSame(t, "tree", contents(t, dir), with(oldTree, "new/c", "theirs"))
}

func TestCopyForTakingBackKeepsModeAndTime(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "from", "data")
	long := time.Now().Add(-48 * time.Hour).Truncate(time.Second)
	name := filepath.Join(dir, "from")
	if err := errors.Join(os.Chmod(name, 0o640), os.Chtimes(name, long, long)); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := errors.Join(copyFile(root, "from", "copy"), keepCopy(root, "from", "link")); err != nil {
		t.Fatal(err)
	}
	got := everything(t, dir)
	wantSame(t, "copies", got, map[string]string{"from": got["from"], "copy": got["from"], "link": got["from"]})
}

func TestFailedTakingBackIsSaidAndTheNextWriteFinishes(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, oldTree)
	backs := 0
	w := writer{step: func(point, path string) error {
		if point == "apply" && path == "z" {
			return syscall.EIO
		}
		if point == "back" {
			if backs++; backs == 2 {
				return syscall.EIO
			}
		}
		return nil
	}}
	_, found := w.write(context.Background(), dir, newTree.tree(), meta, Options{})
	wantFindings(t, dir, found, kindMixed.ID+" .")
	_, found = Compare(dir, newTree.tree(), meta)
	if !slices.Contains(ids(found), kindPending.ID) {
		t.Errorf("compare says %q", texts(found))
	}
	mustWrite(t, dir, newTree)
	wantSame(t, "tree", contents(t, dir), newTree)
}
