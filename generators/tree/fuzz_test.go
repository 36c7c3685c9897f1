package tree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzTreePath holds that no path of a tree or of an inventory reaches anything
// outside the directory, nor .git.
func FuzzTreePath(f *testing.F) {
	for _, p := range []string{"a", "a/b", "..", "../secret", "a/../../secret", "/secret", `..\secret`, ".git/config", ".GIT/config", "link/secret", "link",
		"./a", "a//b", "", "~", "C:/secret", "a/.gpugen/x", "a\x00/b", "…/secret", ".git\u200c/config", "a/./../../secret"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		top := t.TempDir()
		dir := filepath.Join(top, "tree")
		outside := files{"secret": "s", "tree/.git/config": "s"}
		put(t, top, "secret", "s")
		put(t, dir, ".git/config", "s")
		if err := os.Symlink(top, filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		check := func(what string, found bool) {
			got := contents(t, top)
			for q := range got {
				if strings.HasPrefix(q, "tree/") && q != "tree/.git/config" {
					delete(got, q)
				}
			}
			wantSame(t, what, got, outside)
			if !found && checkPath(p) != nil {
				t.Errorf("%s: path %q is not allowed, but nothing was found", what, p)
			}
		}
		_, found := Write(context.Background(), dir, files{p: "1"}.tree(), meta, Options{Force: true})
		check("write", len(found) > 0)
		_, found = Compare(dir, files{p: "1"}.tree(), meta)
		check("compare", len(found) > 0)

		if !utf8.ValidString(p) {
			return // JSON cannot hold it
		}
		data, err := Inventory{Files: map[string][]string{p: {hashOf([]byte("s"))}}}.encode()
		if err != nil {
			t.Fatal(err)
		}
		put(t, dir, inventoryPath, string(data))
		_, found = Write(context.Background(), dir, files{"fine": "1"}.tree(), meta, Options{})
		check("removal", len(found) > 0)
	})
}
