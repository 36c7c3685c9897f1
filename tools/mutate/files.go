package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// places are where what gpugen does is written, and what there is none of it.
var (
	places  = []string{"cmd", "generators", "schema", "templates"}
	nowhere = regexp.MustCompile(`(^|/)testdata/|_test\.go$|^schema/(spectest|upstreamtest)/|^schema/facts/embed\.go$`)
)

// candidates are all files with the edits that want allows.
func candidates(root string, want func(path string, line int) bool) ([]*source, error) {
	var out []*source
	for _, place := range places {
		err := filepath.WalkDir(filepath.Join(root, place), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			relative, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			relative = filepath.ToSlash(relative)
			ext := filepath.Ext(name)
			if nowhere.MatchString(relative) || ext != ".go" && ext != ".cue" {
				return nil
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			f := &source{path: relative, data: data}
			if ext == ".go" {
				f.edits, err = goEdits(relative, data)
			} else {
				f.edits, err = cueEdits(relative, data)
			}
			if err != nil {
				return err
			}
			f.edits = slices.DeleteFunc(f.edits, func(e edit) bool { return !want(relative, f.line(e.start)) })
			if len(f.edits) > 0 {
				out = append(out, f)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is nothing to change")
	}
	return out, nil
}

var hunk = regexp.MustCompile(`^@@ -[0-9,]+ \+([0-9]+)(?:,([0-9]+))? @@`)

// changedLines are the lines that differ from a revision, by file; nil if there is none.
func changedLines(root, base string) (map[string]map[int]bool, error) {
	if base == "" {
		return nil, nil
	}
	cmd := exec.Command("git", "diff", "--unified=0", "--no-color", base, "--")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git diff %s: %w", base, err)
	}
	lines := map[string]map[int]bool{}
	file := ""
	for line := range strings.SplitSeq(string(out), "\n") {
		if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
			file = name
			lines[file] = map[int]bool{}
			continue
		}
		m := hunk.FindStringSubmatch(line)
		if m == nil || file == "" {
			continue
		}
		first, _ := strconv.Atoi(m[1])
		number := 1
		if m[2] != "" {
			number, _ = strconv.Atoi(m[2])
		}
		for n := range number {
			lines[file][first+n] = true
		}
	}
	return lines, nil
}
