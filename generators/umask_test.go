//go:build unix

package generators_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestTheUmaskDoesNotShowInATree(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh to set a umask with")
	}
	eachExample(t, func(t *testing.T, spec string, want map[string][]byte) {
		for _, mask := range []string{"000", "077"} {
			out := filepath.Join(t.TempDir(), "tree")
			cmd := child(t, spec, out)
			cmd.Args = []string{shell, "-c", `umask "$1" && exec "$2"`, "sh", mask, cmd.Path}
			cmd.Path = shell
			run(t, cmd)
			same(t, "umask "+mask, want, out)
			info, err := os.Stat(filepath.Join(out, "root.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if mode := info.Mode().Perm(); mode != 0o644 {
				t.Errorf("umask %s: root.yaml has mode %v", mask, mode)
			}
		}
	})
}
