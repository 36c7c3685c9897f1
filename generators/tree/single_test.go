package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full is a disk on which a call fails from some time on.
type full struct {
	anywhere
	fail func(call, name string) bool
}

func (d full) OpenFile(name string, flag int, mode os.FileMode) (*os.File, error) {
	if d.fail("open", name) {
		return nil, os.ErrPermission
	}
	return d.anywhere.OpenFile(name, flag, mode)
}

func (d full) Link(from, to string) error {
	if d.fail("link", to) {
		return os.ErrPermission
	}
	return d.anywhere.Link(from, to)
}

func (d full) Rename(from, to string) error {
	if d.fail("rename", to) {
		return os.ErrPermission
	}
	return d.anywhere.Rename(from, to)
}

func TestSingleFilesAreThereAllOrNone(t *testing.T) {
	t.Chdir(t.TempDir())
	old := files{"here/a": "old a", "here/foreign": "x"}
	next := []File{{Path: "here/a", Data: []byte("new a")}, {Path: "here/b", Data: []byte("new b")}, {Path: "far/away/c", Data: []byte("new c")}}
	done := files{"here/a": "new a", "here/b": "new b", "here/foreign": "x", "far/away/c": "new c"}
	// Each call fails once, with links and without.
	for _, links := range []bool{true, false} {
		for at, calls := 0, 1; calls > at-1; at++ {
			for _, dir := range []string{"here", "far"} {
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range old {
				put(t, ".", name, text)
			}
			calls = 0
			err := putSingles(full{fail: func(call, _ string) bool {
				if call == "link" && !links {
					return true
				}
				calls++
				return calls == at+1
			}}, next, true)
			if err == nil { // no call failed, or a link, for which there is another way
				wantSame(t, "afterwards", contents(t, "."), done)
				continue
			}
			wantSame(t, "after a failure", contents(t, "."), old)
			if _, err := os.Stat("far"); err == nil {
				t.Errorf("call %d left a directory", at)
			}
		}
	}
}

func TestSingleFilesOverwriteNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, ".", "there", "mine")
	err := CreateFiles([]File{{Path: "first", Data: []byte("1")}, {Path: "there", Data: []byte("2")}})
	if err == nil || !strings.Contains(err.Error(), "there: file") {
		t.Errorf("the error is %v", err)
	}
	if err := CreateFiles([]File{{Path: "there/below", Data: []byte("1")}}); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("the error is %v", err)
	}
	wantSame(t, "contents", contents(t, "."), files{"there": "mine"})
	if IsStaged("cluster.cue") || !IsStaged(filepath.Join("x", filepath.Base(stagedName("cluster.cue")))) {
		t.Error("staged names are not told from others")
	}
}

// A directory at the place of a file holds what is somebody's: it stays, under its name.
func TestNoDirectoryIsReplacedByAFile(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "b", "note")
	if err := os.MkdirAll(filepath.Dir(foreign), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(foreign, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := ReplaceFiles([]File{{Path: filepath.Join(dir, "a"), Data: []byte("1")}, {Path: filepath.Join(dir, "b"), Data: []byte("2")}})
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "b")) {
		t.Errorf("error is %v", err)
	}
	if data, err := os.ReadFile(foreign); err != nil || string(data) != "mine" {
		t.Errorf("it holds %q: %v", data, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v is left: %v", entries, err)
	}
}
