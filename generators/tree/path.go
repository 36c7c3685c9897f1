package tree

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gpugen/gpugen/schema/diag"
)

// InventoryPath is the file that says what the last render wrote.
const InventoryPath = metaDir + "/inventory.json"

// The reserved names inside the output directory.
const (
	metaDir       = ".gpugen"
	inventoryPath = InventoryPath
	journalPath   = metaDir + "/journal.json"
	journalTemp   = metaDir + "/journal.tmp"
	stageDir      = metaDir + "/stage"
	undoDir       = metaDir + "/undo"
	lockPath      = metaDir + "/lock"
	creatingPath  = metaDir + "/creating.json"
)

// checkPath says why a tree, an inventory or a journal may not name p, or nil.
// os.Root is the second wall behind it.
func checkPath(p string) error {
	switch {
	case p == "":
		return errors.New("it is empty")
	case !utf8.ValidString(p):
		return errors.New("it is not UTF-8")
	case strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsGraphic(r) }):
		// Control and format characters: unreadable in a review, and some file
		// systems drop them, which turns other names into .git.
		return errors.New("it holds invisible characters")
	case strings.Contains(p, `\`):
		return errors.New("it holds a backslash")
	case path.IsAbs(p):
		return errors.New("it is absolute")
	case p == "." || path.Clean(p) != p || !filepath.IsLocal(filepath.FromSlash(p)):
		return errors.New("it is not a clean path inside the tree")
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case strings.EqualFold(part, ".git"), strings.EqualFold(part, "git~1"):
			return errors.New("it lies in .git")
		case strings.EqualFold(part, metaDir):
			return fmt.Errorf("it lies in %s", metaDir)
		case strings.HasSuffix(part, "."), strings.HasSuffix(part, " "):
			return fmt.Errorf("%q ends with a dot or a space, which Windows drops", part)
		}
	}
	return nil
}

// checkTree returns one finding for each path of t that no tree may have.
func (p place) checkTree(t *Tree) diag.List {
	var found diag.List
	bad := func(name, format string, args ...any) {
		f := p.finding(kindPath, "", "path %q: %s", name, fmt.Sprintf(format, args...))
		found.Add(f)
	}
	files := t.Files()
	seen := make(map[string]string, len(files))
	for _, f := range files {
		if err := checkPath(f.Path); err != nil {
			bad(f.Path, "%v", err)
			continue
		}
		folded := strings.ToLower(f.Path)
		switch other, ok := seen[folded]; {
		case ok && other == f.Path:
			bad(f.Path, "the tree has it twice")
		case ok:
			bad(f.Path, "it differs from %q only in case", other)
		}
		seen[folded] = f.Path
	}
	for _, f := range files {
		for dir := range ancestors(f.Path) {
			if other, ok := seen[strings.ToLower(dir)]; ok {
				bad(f.Path, "%q is a file, so it cannot hold others", other)
			}
		}
	}
	return found.Sorted()
}

// ancestors yields the directories above p inside the root, outermost first.
func ancestors(p string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i, r := range p {
			if r == '/' && !yield(p[:i]) {
				return
			}
		}
	}
}
