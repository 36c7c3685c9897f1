package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build makes the three programs; gpugen as `make build` does.
func (b bench) build() error {
	tools := filepath.Join(b.root, "e2e", "bench", "tools")
	for _, step := range []struct {
		dir  string
		args []string
	}{
		{b.root, []string{"run", "./schema/knowledge/prepare"}},
		{b.root, []string{"build", "-trimpath", "-o", b.bin("gpugen"), "./cmd/gpugen"}},
		{tools, []string{"build", "-o", b.bin("cue"), "cuelang.org/go/cmd/cue"}},
		{tools, []string{"build", "-o", b.bin("kustomize"), "sigs.k8s.io/kustomize/kustomize/v5"}},
	} {
		c := exec.Command("go", step.args...)
		c.Dir, c.Stderr = step.dir, os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("go %s: %w", strings.Join(step.args, " "), err)
		}
	}
	return nil
}

// plainCUE lays out the same knowledge base and spec for the cue command: one
// package whose field input is the spec.
func (b bench) plainCUE(example string) (string, error) {
	dir := filepath.Join(b.work, "plain", example)
	for _, part := range []string{"cue.mod", "schema", "templates"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(b.root, part))); err != nil {
			return "", err
		}
	}
	spec := filepath.Join(b.root, "examples", example, "cluster.cue")
	text, err := os.ReadFile(spec)
	if err != nil {
		return "", err
	}
	_, body, ok := strings.Cut(string(text), "\npackage cluster\n")
	if !ok || strings.Contains(body, "\nimport ") {
		return "", fmt.Errorf("%s cannot be put into another package", spec)
	}
	plain := "package plain\n\nimport (\n\tr \"github.com/gpugen/gpugen/schema/rules\"\n\ts \"github.com/gpugen/gpugen/schema/spec\"\n)\n\nall: r & {input: s.#Spec & {\n" + body + "\n}}\n"
	return dir, os.WriteFile(filepath.Join(dir, "plain.cue"), []byte(plain), 0o644)
}
