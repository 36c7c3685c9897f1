//go:build unix

package tree

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/gpugen/gpugen/schema/diag"
)

// A pipe waits for ever: wherever gpugen would look for a directory or a file of its own,
// one that is a pipe is in the way, and nobody opens it.
func TestNoPipeIsOpened(t *testing.T) {
	wanted := files{"a": "1"}
	for _, c := range []struct {
		name, at string
		lockFile bool
	}{
		{name: "the directory"},
		{name: "a file", at: "a"},
		{name: "own directory", at: metaDir},
		{name: "inventory", at: inventoryPath},
		{name: "journal", at: journalPath},
		{name: "lock", at: lockPath, lockFile: true},
		{name: "list of a killed run", at: "../.tree.gpugen-new/" + creatingPath},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "tree")
			if c.at != "" && filepath.Dir(c.at) != filepath.Dir("../.tree.gpugen-new/"+creatingPath) {
				mustWrite(t, dir, wanted)
			}
			pipe := filepath.Join(dir, filepath.FromSlash(c.at))
			if err := os.RemoveAll(pipe); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(pipe), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(pipe, 0o644); err != nil {
				t.Skip("no pipes here:", err)
			}
			for what, do := range map[string]func() diag.List{
				"write": func() diag.List { return writeWith(c.lockFile, dir, wanted) },
				"compare": func() diag.List {
					_, found := Compare(dir, wanted.tree(), meta)
					return found
				},
				"holds": func() diag.List {
					if _, ok := Holds(dir, "sha256:", false); ok {
						t.Error("it holds the tree")
					}
					return diag.List{{}}
				},
			} {
				ended := make(chan diag.List, 1)
				go func() { ended <- do() }()
				select {
				case found := <-ended:
					if len(found) == 0 && what == "write" {
						t.Errorf("it is written, with %s a pipe", c.name)
					}
				case <-time.After(10 * time.Second):
					t.Errorf("%s waits for the pipe", what)
				}
			}
		})
	}
}
