package cli

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema/diag"
)

// elsewhere warns where the tree is written into a work tree of the very
// repository that Argo CD reads, but not at the path that it reads.
func elsewhere(result *generators.Result, out string) diag.List {
	g := result.Plan.GitOps
	top, at, ok := workTree(out)
	if !ok || at == g.Path || !remotes(top)[repository(g.RepoURL)] {
		return nil
	}
	return diag.List{{
		ID: "TREE-005", Severity: diag.Warning, Position: result.At("gitops", "path"), Path: "gitops.path",
		Message: fmt.Sprintf("the tree is rendered to %s of its repository, but Argo CD reads %s", at, g.Path),
		Why:     "Argo CD would not see what is rendered.",
		Fix:     "set gitops.path to " + at + ", or render with -o to " + g.Path,
	}}
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
	f, err := os.Open(filepath.Join(top, ".git", "config"))
	if err != nil {
		return out
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, ok := strings.Cut(lines.Text(), "=")
		if ok && strings.TrimSpace(key) == "url" {
			out[repository(strings.TrimSpace(value))] = true
		}
	}
	return out
}

// repository is a URL without what differs between ways to reach one repository:
// scheme, user, .git and case of the host.
func repository(url string) string {
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
