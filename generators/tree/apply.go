package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
)

// errTouched means that somebody changed a file while gpugen was writing.
var errTouched = errors.New("was changed while gpugen was writing")

// applier carries out ops one by one and remembers how to take them back.
type applier struct {
	root *os.Root
	ops  []op
	// needed holds the directories that files are about to come into: they stay
	// although a removal empties them.
	needed map[string]bool
	// back holds what takes back each step that was done.
	back []func() error
	// dirs holds the directories whose entries changed.
	dirs map[string]bool
}

func newApplier(root *os.Root, ops []op) *applier {
	a := &applier{root: root, ops: ops, needed: map[string]bool{}, dirs: map[string]bool{}}
	for _, o := range ops {
		if o.New != "" {
			for dir := range ancestors(o.Path) {
				a.needed[dir] = true
			}
		}
	}
	return a
}

// do carries out one op: the file goes, or the staged one takes its place.
func (a *applier) do(i int) error {
	o := a.ops[i]
	if o.New == "" {
		return a.remove(i)
	}
	if err := makeDirs(a.root, o.Path, a.madeDir); err != nil {
		return err
	}
	if err := a.root.Rename(staged(i), o.Path); err != nil {
		return err
	}
	a.changed(o.Path)
	a.back = append(a.back, func() error {
		// The new data go back to the stage, so that the journal can be rolled
		// forward even if gpugen is killed while it takes things back.
		if err := a.root.Rename(o.Path, staged(i)); err != nil {
			return err
		}
		if o.Old == "" {
			return nil
		}
		return a.root.Rename(undone(i), o.Path)
	})
	return nil
}

func (a *applier) remove(i int) error {
	o := a.ops[i]
	if err := a.root.Remove(o.Path); err != nil {
		return err
	}
	a.changed(o.Path)
	a.back = append(a.back, func() error { return a.root.Rename(undone(i), o.Path) })
	a.removeEmptied(o.Path)
	return nil
}

// removeEmptied removes the directories above p that hold nothing any more.
func (a *applier) removeEmptied(p string) {
	for dir := path.Dir(p); dir != "." && !a.needed[dir]; dir = path.Dir(dir) {
		info, err := a.root.Lstat(dir)
		if err != nil || !info.IsDir() || a.root.Remove(dir) != nil {
			return // somebody else's files are in it
		}
		a.changed(dir)
		a.back = append(a.back, func() error {
			if err := a.root.Mkdir(dir, dirMode); err != nil {
				return err
			}
			return a.root.Chmod(dir, info.Mode().Perm())
		})
	}
}

func (a *applier) madeDir(dir string) {
	a.changed(dir)
	a.back = append(a.back, func() error {
		err := a.root.Remove(dir)
		if entries, readErr := fs.ReadDir(a.root.FS(), dir); err != nil && readErr == nil && len(entries) > 0 {
			return nil // somebody else put files there meanwhile
		}
		return err
	})
}

func (a *applier) changed(p string) { a.dirs[path.Dir(p)] = true }

// expect fails with errTouched unless the file is the one that the plan met.
func (a *applier) expect(i int) error {
	same, err := untouched(a.root, a.ops[i].Path, a.ops[i].before)
	if err == nil && !same {
		err = &fs.PathError{Op: "replace", Path: a.ops[i].Path, Err: errTouched}
	}
	return err
}

// rollBack takes back every step, the last one first, and calls before ahead of
// each. It goes on after an error, so that as much as possible of the old tree
// returns.
func (a *applier) rollBack(before func() error) error {
	var all []error
	for _, back := range slices.Backward(a.back) {
		err := before()
		if err == nil {
			err = back()
		}
		all = append(all, err)
	}
	a.sync()
	if err := errors.Join(all...); err != nil {
		return fmt.Errorf("taking back: %w", err)
	}
	return nil
}

// sync asks the disk to keep the changed names.
func (a *applier) sync() {
	for _, dir := range slices.Sorted(maps.Keys(a.dirs)) {
		syncDirs(a.root, dir)
	}
}
