package cli

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// placeholder is a line that is still as init or import wrote it, by their mark.
var placeholder = regexp.MustCompile(`(//|#) *` + changeMark)

// mostPlaceholders is how many lines are named.
const mostPlaceholders = 5

// notePlaceholders tells of lines of specs that are still an example's. It is a note
// and no finding: such a spec is as right as any other, the examples among them, and
// nothing that it says contradicts anything.
func notePlaceholders(w io.Writer, specs []string) {
	var lines []string
	for _, spec := range specs {
		for _, file := range specFiles(spec) {
			lines = append(lines, placeholdersIn(file)...)
		}
	}
	if len(lines) == 0 {
		return
	}
	more := ""
	if over := len(lines) - mostPlaceholders; over > 0 {
		lines, more = lines[:mostPlaceholders], fmt.Sprintf(" and %d more", over)
	}
	fmt.Fprintf(w, "note: placeholders of an example at %s%s; write what is true of your cluster, and take \"change me\" away\n",
		strings.Join(lines, ", "), more)
}

// specFiles are the files of a spec that may hold placeholders.
func specFiles(spec string) []string {
	if !isDir(spec) {
		return []string{spec}
	}
	var out []string
	for _, pattern := range []string{"*.cue", "cluster.yaml", "cluster.yml", "cluster.json"} {
		found, _ := fs.Glob(os.DirFS(spec), pattern)
		for _, file := range found {
			if path := filepath.Join(spec, file); isSpec(path) {
				out = append(out, path)
			}
		}
	}
	return out
}

func placeholdersIn(file string) []string {
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	var out []string
	number := 0
	for line := range bytes.Lines(textOf(file)) {
		number++
		if placeholder.Match(line) {
			out = append(out, fmt.Sprintf("%s:%d", filepath.ToSlash(file), number))
		}
	}
	return out
}
