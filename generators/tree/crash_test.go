package tree

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
)

// crashEnv holds a crash as JSON: this process then is the child that crashes.
const crashEnv = "GPUGEN_TREE_TEST_CRASH"

// crash is a write that is killed at a step, as if by kill -9.
type crash struct {
	Dir  string
	Tree files
	// Step counts from 0; a write with fewer steps ends by itself.
	Step int
	// Point and Path kill at a step by name instead.
	Point, Path string
	// Fail makes the step with this name fail before.
	Fail string
	// LockFile locks as where a directory cannot be locked.
	LockFile bool
}

func TestMain(m *testing.M) {
	if in := os.Getenv(crashEnv); in != "" {
		var c crash
		if err := json.Unmarshal([]byte(in), &c); err != nil {
			panic(err)
		}
		c.child()
		os.Exit(0)
	}
	code := m.Run()
	if code == 0 && everyTestRan() {
		for _, kind := range Kinds {
			if _, ok := emitted.Load(kind.ID); !ok {
				fmt.Fprintf(os.Stderr, "no test of this package makes a finding %s\n", kind.ID)
				code = 1
			}
		}
	}
	os.Exit(code)
}

// emitted holds the IDs of the findings that tests have looked at.
var emitted sync.Map

func everyTestRan() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz", "test.bench"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return true
}

func (c crash) child() {
	n := -1
	w := writer{lockFile: c.LockFile, step: func(point, path string) error {
		n++
		if c.Point == "" && n == c.Step || c.Point != "" && point == c.Point && (c.Path == "" || c.Path == path) {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				panic(err)
			}
			select {} // until the kill arrives
		}
		if c.Fail != "" && path == c.Fail && point == "apply" {
			return errors.New("no space left on device")
		}
		return nil
	}}
	if _, found := w.write(context.Background(), c.Dir, c.Tree.tree(), meta, Options{}); len(found) > 0 {
		os.Stderr.WriteString(strings.Join(texts(found), "\n"))
		os.Exit(3)
	}
}

// run returns whether the child was killed; false means that it wrote its tree.
func (c crash) run(t *testing.T) bool {
	t.Helper()
	in, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashEnv+"="+string(in))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false
	case errors.As(err, &exit) && exit.ExitCode() != 3 && exit.ExitCode() != 2:
		return true
	}
	t.Fatalf("child: %v\n%s", err, out)
	return false
}

// The trees have a file of each fate, a directory that becomes a file, a file
// that becomes a directory, and directories that go.
var (
	oldTree = files{"README.md": "old", "same": "same", "x": "file", "y/deep/a": "1", "y/b": "2", "gone/a/b": "1", "z": "old"}
	newTree = files{"README.md": "new", "same": "same", "x/deep/a": "1", "x/b": "2", "y": "file", "new/c": "1", "z": "new"}
)

// withoutTraces is contents without what a killed run leaves in .gpugen.
func withoutTraces(f files) files {
	f = maps.Clone(f)
	maps.DeleteFunc(f, func(p, _ string) bool { return strings.HasPrefix(p, metaDir+"/") })
	return f
}

func TestWriteAfterAKillAtAnyStepEndsWithTheWholeNewTree(t *testing.T) {
	third := files{"README.md": "third", "same": "same", "q/r": "1", "y/deep/a": "9"}
	var points []string
	// Both odd and even steps, since every other one renders something else next.
	for step := 0; ; step += sample.Times(1, 6) {
		dir := t.TempDir()
		mustWrite(t, dir, oldTree)
		put(t, dir, "gone/mine", "theirs")
		if !(crash{Dir: dir, Tree: newTree, Step: step}).run(t) {
			break
		}
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(journalPath)))
		inWindow := err == nil
		points = append(points, map[bool]string{true: "w", false: "."}[inWindow])
		_, found := Compare(dir, newTree.tree(), meta)
		if slices.Contains(ids(found), kindPending.ID) != inWindow {
			t.Errorf("step %d: journal %v, but compare says %q", step, inWindow, texts(found))
		}
		if slices.Contains(ids(found), kindEdited.ID) || slices.Contains(ids(found), kindForeign.ID) {
			t.Errorf("step %d: compare takes gpugen's own files for those of others: %q", step, texts(found))
		}
		if !inWindow {
			wantSame(t, "tree before the window", withoutTraces(contents(t, dir)), with(oldTree, "gone/mine", "theirs"))
		}
		next := newTree
		if step%2 == 1 {
			next = third // whatever is rendered next, the recovery comes first
		}
		mustWrite(t, dir, next)
		wantSame(t, "tree after the next write", contents(t, dir), with(next, "gone/mine", "theirs"))
		if _, found := Compare(dir, next.tree(), meta); len(found) > 0 {
			t.Errorf("step %d: then compare says %q", step, texts(found))
		}
	}
	// Staging comes first, then the window; both were met.
	if seen := strings.Join(points, ""); !strings.Contains(seen, "..w") || strings.Contains(seen, "w.") {
		t.Errorf("the steps were %s", seen)
	}
}

func with(f files, p, data string) files {
	f = maps.Clone(f)
	f[p] = data
	return f
}

func TestNamedMomentsOfAKill(t *testing.T) {
	for name, test := range map[string]struct {
		point, path string
		pending     bool
		tree        files // what lies there then; nil: a mixture
	}{
		"while staging":                       {"stage", "y", false, oldTree},
		"before the journal":                  {"journal", "", false, oldTree},
		"before the first rename":             {"apply", "gone/a/b", true, oldTree},
		"between renames":                     {"apply", "x/b", true, nil},
		"before the inventory":                {"apply", inventoryPath, true, newTree},
		"after the inventory, before the end": {"committed", "", true, newTree},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mustWrite(t, dir, oldTree)
			if !(crash{Dir: dir, Tree: newTree, Point: test.point, Path: test.path}).run(t) {
				t.Fatal("the child was not killed")
			}
			got := withoutTraces(contents(t, dir))
			if test.tree != nil {
				wantSame(t, "tree", got, test.tree)
			} else if maps.Equal(got, oldTree) || maps.Equal(got, newTree) {
				t.Error("the tree is no mixture")
			}
			_, found := Compare(dir, newTree.tree(), meta)
			if slices.Contains(ids(found), kindPending.ID) != test.pending {
				t.Errorf("compare says %q", texts(found))
			}
			mustWrite(t, dir, newTree)
			wantSame(t, "tree after the next write", contents(t, dir), newTree)
		})
	}
}

func TestKillWhileFinishingAnEarlierRun(t *testing.T) {
	for first := range 8 {
		if !sample.Draws(fmt.Sprint("first killed at moment ", first), 8) {
			continue
		}
		for step := 0; ; step++ {
			dir := t.TempDir()
			mustWrite(t, dir, oldTree)
			moments := []string{"gone/a/b", "x", "y/b", "README.md", "new/c", "x/deep/a", "y", inventoryPath}
			if !(crash{Dir: dir, Tree: newTree, Point: "apply", Path: moments[first]}).run(t) {
				t.Fatalf("no kill before %s", moments[first])
			}
			killed := (crash{Dir: dir, Tree: newTree, Step: step}).run(t)
			mustWrite(t, dir, newTree)
			wantSame(t, "tree after the next write", contents(t, dir), newTree)
			if !killed {
				break
			}
			step += sample.Times(2, 8) // each moment meets the second kill at other steps
		}
	}
}

func TestKillWhileTakingBack(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, oldTree)
	if !(crash{Dir: dir, Tree: newTree, Fail: "y", Point: "back"}).run(t) {
		t.Fatal("the child was not killed")
	}
	_, found := Compare(dir, newTree.tree(), meta)
	if !slices.Contains(ids(found), kindPending.ID) {
		t.Errorf("compare says %q", texts(found))
	}
	mustWrite(t, dir, newTree)
	wantSame(t, "tree after the next write", contents(t, dir), newTree)
}

func TestDirectoryThatDidNotExistAppearsWholeOrNotAtAll(t *testing.T) {
	for _, lockFile := range []bool{false, true} {
		steps := 0
		for step := 0; ; step += sample.Times(1, 6) {
			top := t.TempDir()
			dir := filepath.Join(top, "clusters", "tree")
			if !(crash{Dir: dir, Tree: newTree, Step: step, LockFile: lockFile}).run(t) {
				wantSame(t, "new tree", contents(t, dir), newTree)
				break
			}
			steps++
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("step %d: the directory is there (%v)", step, err)
			}
			if step%2 == 1 { // or somebody makes the directory before the next run
				put(t, dir, "mine", "theirs")
			}
			w := writer{lockFile: lockFile}
			if _, found := w.write(context.Background(), dir, newTree.tree(), meta, Options{}); len(found) > 0 {
				t.Fatalf("step %d: %q", step, texts(found))
			}
			want := newTree
			if step%2 == 1 {
				want = with(newTree, "mine", "theirs")
			}
			wantSame(t, "directory", contents(t, dir), want)
			if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
				t.Errorf("step %d: beside the tree lie %v (%v)", step, entries, err)
			}
		}
		if steps < sample.Times(len(newTree), 2) {
			t.Errorf("only %d steps", steps)
		}
	}
}
