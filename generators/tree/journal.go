package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// journalFormat is the version of the journal's layout.
const journalFormat = 1

// op is one step from the old tree to the new one. Its number in the journal
// names its data: .gpugen/stage/<n> the new ones, .gpugen/undo/<n> the old ones.
type op struct {
	Path string `json:"path"`
	// Old is the hash of the file that goes; empty if there is none.
	Old string `json:"old,omitempty"`
	// New is the hash of the file that comes; empty if the path goes.
	New string `json:"new,omitempty"`

	data   []byte
	before fs.FileInfo // the old file as the plan met it
}

func staged(i int) string { return stageDir + "/" + strconv.Itoa(i) }
func undone(i int) string { return undoDir + "/" + strconv.Itoa(i) }

// journal is .gpugen/journal.json. While it exists the tree may hold old and new
// files, and stage holds all the new ones that are not in place yet.
type journal struct {
	Format int  `json:"format"`
	Ops    []op `json:"ops"`
}

// makeOps orders the steps: removals first, since a file may have to make room
// for a directory, the inventory last, since it vouches for the rest.
func makeOps(entries plan, inventory op) []op {
	var ops, comes []op
	for _, e := range entries {
		switch e.verdict {
		case remove:
			ops = append(ops, op{Path: e.path, Old: e.before.hash, before: e.before.info})
		case create, update:
			comes = append(comes, op{Path: e.path, Old: e.before.hash, New: e.want, data: e.data, before: e.before.info})
		}
	}
	return append(append(ops, comes...), inventory)
}

// writeJournal puts the journal in place with one rename, once it is on the disk.
func writeJournal(root *os.Root, ops []op) error {
	data, err := encode(journal{Format: journalFormat, Ops: ops})
	if err != nil {
		return err
	}
	if err := writeFile(root, journalTemp, data); err != nil {
		return err
	}
	if err := syncFile(root, journalTemp); err != nil {
		return err
	}
	if err := root.Rename(journalTemp, journalPath); err != nil {
		return err
	}
	syncDirs(root, metaDir)
	return nil
}

// readJournal returns the journal that a killed run left, an error that is
// fs.ErrNotExist if there is none, or why it cannot be used. It is as little
// trusted as any file: no path in it may leave the tree.
func readJournal(root *os.Root) ([]op, error) {
	data, err := ReadRegular(root, journalPath)
	if err != nil {
		return nil, err
	}
	var j journal
	if err := decode(data, &j); err != nil {
		return nil, err
	}
	if j.Format != journalFormat {
		return nil, fmt.Errorf("it has format %d, this gpugen knows format %d", j.Format, journalFormat)
	}
	if len(j.Ops) == 0 {
		return nil, errors.New("it lists nothing")
	}
	for i, o := range j.Ops {
		if o.New != "" && !hashForm.MatchString(o.New) || o.Old != "" && !hashForm.MatchString(o.Old) || o.Old+o.New == "" {
			return nil, fmt.Errorf("its entry for %q has no proper hashes", o.Path)
		}
		if i == len(j.Ops)-1 {
			if o.Path != inventoryPath || o.New == "" {
				return nil, errors.New("it does not end with the inventory")
			}
		} else if err := checkPath(o.Path); err != nil {
			return nil, fmt.Errorf("it lists path %q: %w", o.Path, err)
		}
	}
	return j.Ops, nil
}

// dropJournal ends the write: from here on the tree is whole. What was staged or
// kept goes after it.
func dropJournal(root *os.Root) error {
	if err := removeFile(root, journalPath); err != nil {
		return err
	}
	syncDirs(root, metaDir)
	return nil
}

// sweep removes what a run leaves in .gpugen before or after its journal, and
// .gpugen itself if nothing else is in it.
func sweep(root *os.Root) error {
	if info, err := root.Lstat(metaDir); err != nil || !info.IsDir() {
		return nil // nothing of ours; what else it may be, the plan judges
	}
	err := errors.Join(root.RemoveAll(stageDir), root.RemoveAll(undoDir), removeFile(root, journalTemp), removeFile(root, creatingPath))
	_ = root.Remove(metaDir)
	return err
}
