package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Repository is a git repository that an address leads to.
type Repository struct{ bare, work string }

// Repository returns the repository at an address, made with a first commit
// where there is none.
func (h *Hosts) Repository(address string) (*Repository, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	path := strings.TrimSuffix(parsed.Path, ".git")
	r := &Repository{bare: filepath.Join(h.repositories(), path) + ".git", work: filepath.Join(h.dir, "work", path)}
	if _, err := os.Stat(r.work); err == nil {
		return r, nil
	}
	if err := errors.Join(os.MkdirAll(r.bare, 0o755), os.MkdirAll(r.work, 0o755)); err != nil {
		return nil, err
	}
	for _, arguments := range [][]string{
		{"init", "--quiet", "--bare", "--initial-branch=main", r.bare},
		{"init", "--quiet", "--initial-branch=main"},
		{"remote", "add", "origin", r.bare},
	} {
		if _, err := r.git(arguments...); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Commit has the repository hold a copy of the folder at the path, and nothing
// else there. It returns the commit.
func (r *Repository) Commit(path, folder, message string) (string, error) {
	target := filepath.Join(r.work, path)
	if err := errors.Join(os.RemoveAll(target), os.MkdirAll(filepath.Dir(target), 0o755), os.CopyFS(target, os.DirFS(folder))); err != nil {
		return "", err
	}
	if _, err := r.git("add", "--all"); err != nil {
		return "", err
	}
	if _, err := r.git("commit", "--quiet", "--allow-empty", "--message", message); err != nil {
		return "", err
	}
	return r.push()
}

// Revert reverts the last commit.
func (r *Repository) Revert() (string, error) {
	if _, err := r.git("revert", "--no-edit", "HEAD"); err != nil {
		return "", err
	}
	return r.push()
}

func (r *Repository) push() (string, error) {
	if _, err := r.git("push", "--quiet", "origin", "main"); err != nil {
		return "", err
	}
	head, err := r.git("rev-parse", "HEAD")
	return strings.TrimSpace(head), err
}

func (r *Repository) git(arguments ...string) (string, error) {
	command := exec.Command("git", append([]string{"-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "core.hooksPath=/dev/null"}, arguments...)...)
	command.Dir = r.work
	// The machine's own settings may ask for signatures, or rewrite addresses.
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	var out, stderr bytes.Buffer
	command.Stdout, command.Stderr = &out, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(arguments, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out.String(), nil
}
