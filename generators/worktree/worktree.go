// Package worktree owns where a tree lies in a git work tree: it warns where Argo
// CD would not see it. It must not run git, nor write.
package worktree

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema/diag"
)

// Check warns where the tree is rendered into a work tree of the very repository
// that Argo CD reads, but not at the path that it reads. at is where the spec says
// that path.
func Check(g plan.GitOps, out string, at diag.Position) diag.List {
	top, dir, ok := workTree(out)
	if !ok || dir == g.Path || !remotes(top)[Repository(g.RepoURL)] {
		return nil
	}
	f := Elsewhere(at)
	f.Message = fmt.Sprintf("the tree is rendered to %s of its repository, but Argo CD reads %s", dir, g.Path)
	f.Fix = "set gitops.path to " + dir + ", or render with -o to " + g.Path
	return diag.List{f}
}

// Elsewhere is the finding about a tree that lies where Argo CD does not look.
func Elsewhere(at diag.Position) diag.Finding {
	return elsewhere.At(at, "gitops.path", "the tree is rendered to where Argo CD does not look")
}

// Path is where a directory lies in its git work tree; "" where it lies in none.
func Path(dir string) string {
	_, at, ok := workTree(dir)
	if !ok {
		return ""
	}
	return at
}

// workTree is the top of the git work tree that a directory lies in, which need
// not exist yet, and its path in there.
func workTree(dir string) (top, at string, ok bool) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", "", false
	}
	for top = abs; ; top = filepath.Dir(top) {
		if _, err := os.Stat(filepath.Join(top, ".git")); err == nil {
			break
		}
		if filepath.Dir(top) == top {
			return "", "", false
		}
	}
	rel, err := filepath.Rel(top, abs)
	return top, filepath.ToSlash(rel), err == nil
}

// remotes are the repositories that a work tree's git configuration names.
func remotes(top string) map[string]bool {
	out := map[string]bool{}
	config := filepath.Join(top, ".git", "config")
	if info, err := os.Stat(config); err != nil || !info.Mode().IsRegular() {
		return out // to open a pipe would wait for who writes into it
	}
	f, err := os.Open(config)
	if err != nil {
		return out
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, ok := strings.Cut(lines.Text(), "=")
		if ok && strings.TrimSpace(key) == "url" {
			out[Repository(strings.TrimSpace(value))] = true
		}
	}
	return out
}

// Repository is a URL without what differs between ways to reach one repository:
// scheme, user, .git and case of the host.
func Repository(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	} else {
		url = strings.Replace(url, ":", "/", 1)
	}
	host, rest, _ := strings.Cut(url, "/")
	if _, after, ok := strings.Cut(host, "@"); ok {
		host = after
	}
	host, _, _ = strings.Cut(host, ":")
	return path.Join(strings.ToLower(host), strings.TrimSuffix(strings.TrimSuffix(rest, "/"), ".git"))
}
