//go:build unix

package tree

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestModesDoNotDependOnTheUmask(t *testing.T) {
	top := t.TempDir()
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	dir := filepath.Join(top, "p", "tree")
	mustWrite(t, dir, files{"a/b": "1"})
	syscall.Umask(0)
	mustWrite(t, dir, files{"a/b": "2", "c/d": "1"})
	for p, want := range map[string]os.FileMode{"..": 0o755, ".": 0o755, "a": 0o755, "a/b": 0o644, "c": 0o755, "c/d": 0o644, metaDir: 0o755, inventoryPath: 0o644} {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", p, info.Mode().Perm(), want, err)
		}
	}
}
