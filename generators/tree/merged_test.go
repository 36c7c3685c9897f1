package tree

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/schema/diag"
)

// Two branches change a tree, git merges them with the lines of both or with conflict
// marks, and the next write goes on from that, whatever git made of the files.
func TestAWriteGoesOnFromWhatGitMerged(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	base := files{"a": "1\n", "b": "1\n", "c/d": "1\n", "shared": "1\n2\n3\n4\n5\n6\n7\n8\n", "table": "1\n"}
	mine := change(base, files{"a": "mine\n", "shared": "mine\n2\n3\n4\n5\n6\n7\n8\n", "table": "1\nmine\n", "mine/x": "1\n"})
	theirs := change(base, files{"b": "theirs\n", "c/d": "", "shared": "1\n2\n3\n4\n5\n6\n7\ntheirs\n", "table": "1\ntheirs\n", "theirs/x": "1\n"})
	both := change(base, files{"a": "mine\n", "b": "theirs\n", "c/d": "", "shared": "mine\n2\n3\n4\n5\n6\n7\ntheirs\n", "table": "1\nmine\ntheirs\n", "mine/x": "1\n", "theirs/x": "1\n"})
	for how, union := range map[string]bool{"lines of both": true, "conflict marks": false} {
		for _, style := range []string{"merge", "diff3"} {
			t.Run(how+", "+style, func(t *testing.T) {
				dir := t.TempDir()
				git := gitIn(t, dir)
				git("init", "-q", "-b", "main")
				git("config", "merge.conflictStyle", style)
				if union {
					put(t, dir, ".gitattributes", "* merge=union\n")
				}
				commit := func(f files) {
					mustWrite(t, dir, f)
					git("add", "-A")
					git("commit", "-q", "-m", "render")
				}
				commit(base)
				git("checkout", "-q", "-b", "theirs")
				commit(theirs)
				git("checkout", "-q", "main")
				commit(mine)
				merge := exec.Command("git", "merge", "-q", "-m", "merge", "theirs")
				merge.Dir, merge.Env = dir, gitEnvironment()
				if out, err := merge.CombinedOutput(); (err == nil) != union {
					t.Fatalf("git merge: %v: %s", err, out)
				}
				_, found := Compare(dir, both.tree(), meta)
				for _, f := range found {
					if f.ID != kindDiffers.ID && f.ID != kindMissing.ID && f.ID != kindExtra.ID {
						t.Errorf("compared, the merge is %s %s", f.ID, f.Message)
					}
				}
				if !slices.ContainsFunc(found, func(f diag.Finding) bool { return strings.HasSuffix(f.Position.File, inventoryPath) }) {
					t.Errorf("the merged inventory is not out of date: %q", texts(found))
				}
				mustWrite(t, dir, both)
				got := contents(t, dir)
				delete(got, ".gitattributes")
				maps.DeleteFunc(got, func(p, _ string) bool { return strings.HasPrefix(p, ".git/") })
				wantSame(t, "after the merge", withoutTraces(got), both)
				if _, found := Compare(dir, both.tree(), meta); len(found) > 0 {
					t.Errorf("after the render %q", texts(found))
				}
			})
		}
	}
}

// change is a tree with some files different; those that become empty go.
func change(f, with files) files {
	out := maps.Clone(f)
	for p, data := range with {
		if out[p] = data; data == "" {
			delete(out, p)
		}
	}
	return out
}

func gitIn(t *testing.T, dir string) func(args ...string) {
	return func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, gitEnvironment()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
}

// gitEnvironment keeps settings of the machine out.
func gitEnvironment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}
}

// A person's change to a file that just one branch rendered is a person's, merged or not.
func TestAMergeHidesNoChangeByHand(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, files{"a": "1", "b": "1"})
	inventory := filepath.Join(dir, filepath.FromSlash(inventoryPath))
	data, err := os.ReadFile(inventory)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), `{"file":"a"`, fmt.Sprintf("{\"file\":\"a\",\"hash\":%q},\n{\"file\":\"a\"", hashOf([]byte("2"))), 1)
	if err := os.WriteFile(inventory, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a", "what git made of it")
	put(t, dir, "b", "by hand")
	refused(t, dir, files{"a": "3", "b": "3"}, Options{}, kindEdited.ID+" b")
	mustWrite(t, dir, files{"a": "3", "b": "by hand"})
}

// What two inventories say is in the merged one, each thing once.
func TestAMergedInventorySaysWhatBothSay(t *testing.T) {
	inv := Inventory{Version: "1.9.0", Cluster: "research", Charts: map[string]string{}, Files: map[string][]string{"a": {hashOf(nil)}},
		Guarded: []Guarded{{Kind: "Namespace", Name: "n", In: "a", Prunes: "x"}},
		Project: &Project{Name: "gpu", Needs: map[string]Needs{"a": {Namespaces: []string{"n"}, Kinds: []string{"Pod"}}}}}
	other := Inventory{Version: "1.10.0", Cluster: "research", Charts: map[string]string{}, Files: map[string][]string{"b": {hashOf(nil)}},
		Guarded: []Guarded{{Kind: "Namespace", Name: "n", In: "a", Prunes: "y"}, {Kind: "Namespace", Name: "m", In: "b", Prunes: "x"}},
		Project: &Project{Name: "gpu", Cascades: true, Also: Needs{Kinds: []string{"Job"}},
			Needs: map[string]Needs{"a": {Namespaces: []string{"m"}, Kinds: []string{"Pod"}}, "b": {}}}}
	one, _ := inv.encode()
	two, _ := other.encode()
	conflict := "<<<<<<< HEAD\n" + string(one) + "||||||| base\n=======\n" + strings.ReplaceAll(string(two), "\n", "\r\n") + ">>>>>>> theirs\n"
	got, err := parseInventory([]byte(conflict))
	if err != nil {
		t.Fatal(err)
	}
	want := Inventory{Version: "1.10.0", Cluster: "research", Files: map[string][]string{"a": {hashOf(nil)}, "b": {hashOf(nil)}},
		Guarded: []Guarded{{Kind: "Namespace", Name: "m", In: "b", Prunes: "x"}, {Kind: "Namespace", Name: "n", In: "a", Prunes: "x"}},
		Project: &Project{Name: "gpu", Cascades: true, Also: Needs{Kinds: []string{"Job"}},
			Needs: map[string]Needs{"a": {Namespaces: []string{"m", "n"}, Kinds: []string{"Pod"}}, "b": {}}}}
	a, _ := got.encode()
	b, _ := want.encode()
	if string(a) != string(b) {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}

func TestATreeOfANewerReleaseIsLeftAlone(t *testing.T) {
	newer := meta
	newer.Version = "1.10.0"
	for name, spoil := range map[string]func(string) string{
		"a newer release": func(s string) string { return s },
		"a newer format":  func(s string) string { return strings.Replace(s, `"format":2`, `"format":3,"other":[1]`, 1) },
		"unknown contents": func(s string) string {
			return strings.NewReplacer(`"format":2`, `"format":3`, `{"cluster":"research"}`, `{"cluster":["research"]}`).Replace(s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if _, found := Write(t.Context(), dir, newTree.tree(), newer, Options{}); len(found) > 0 {
				t.Fatal(texts(found))
			}
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(inventoryPath)))
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, inventoryPath, spoil(string(data)))
			refused(t, dir, oldTree, Options{}, kindNewer.ID+" "+inventoryPath)
			_, found := Compare(dir, newTree.tree(), meta)
			wantFindings(t, dir, found, kindNewer.ID+" "+inventoryPath)
			if want := "gpugen 1.10.0 rendered the tree, and this is gpugen 1.2.3"; found[0].Message != want {
				t.Errorf("got %q, want %q", found[0].Message, want)
			}
			if _, found := Write(t.Context(), dir, newTree.tree(), meta, Options{Force: true}); len(found) > 0 {
				t.Errorf("forced: %q", texts(found))
			}
		})
	}
}

// A file that yields is left where a person has one, forced or not, and renewed where
// gpugen wrote it.
func TestAFileThatYieldsIsLeftToAPerson(t *testing.T) {
	offered := func(data string) *Tree {
		t := files{"a": "1"}.tree()
		t.Offer("ours", []byte(data))
		return t
	}
	for name, prepare := range map[string]func(t *testing.T, dir string) string{
		"nothing": func(*testing.T, string) string { return "2" },
		"ours": func(t *testing.T, dir string) string {
			if _, found := Write(t.Context(), dir, offered("1"), meta, Options{}); len(found) > 0 {
				t.Fatal(texts(found))
			}
			return "2"
		},
		"a person's": func(t *testing.T, dir string) string {
			put(t, dir, "ours", "own")
			return "own"
		},
		"one by a link": func(t *testing.T, dir string) string {
			put(t, dir, "x", "own")
			if err := os.Symlink("x", filepath.Join(dir, "ours")); err != nil {
				t.Skip(err)
			}
			return "own"
		},
	} {
		for _, force := range []bool{false, true} {
			t.Run(fmt.Sprint(name, force), func(t *testing.T) {
				dir := t.TempDir()
				want := prepare(t, dir)
				for range 2 {
					if _, found := Write(t.Context(), dir, offered("2"), meta, Options{Force: force}); len(found) > 0 {
						t.Fatal(texts(found))
					}
				}
				if got, err := os.ReadFile(filepath.Join(dir, "ours")); err != nil || string(got) != want {
					t.Errorf("it holds %q, want %q (%v)", got, want, err)
				}
				if c, found := Compare(dir, offered("2"), meta); len(found) > 0 || c.Any() {
					t.Errorf("it is stale: %+v, %q", c, texts(found))
				}
			})
		}
	}
}
