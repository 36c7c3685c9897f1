package tree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/gpugen/gpugen/schema/diag"
)

// sibling is where a directory is made ready before it gets its name. Its lock
// is the lock of the directory: it moves with it.
func sibling(dir string) string {
	dir = filepath.Clean(dir)
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".gpugen-new")
}

// create writes a directory that does not exist: a sibling is filled and renamed.
// Its error means that nothing was done.
func (w writer) create(ctx context.Context, p place, want product) (changes Changes, found diag.List, err error) {
	undoParents, err := makeParents(p.dir)
	if err != nil {
		return Changes{}, nil, err
	}
	made := false
	defer func() {
		if !made {
			undoParents()
		}
	}()
	if err := w.at("sibling", ""); err != nil {
		return Changes{}, nil, err
	}
	next := sibling(p.dir)
	switch err := makeDir(next); {
	case errors.Is(err, fs.ErrNotExist): // a failing run removed the parents it had made
		return Changes{}, nil, errMoved
	case err != nil && !errors.Is(err, fs.ErrExist):
		return Changes{}, nil, err
	case !siblingIsOurs(next):
		return Changes{}, diag.List{place{dir: next}.finding(idInTheWay, "", "%s is not gpugen's, but the place where it makes %s ready", next, p.dir)}, nil
	}
	lock, err := lockDir(next, w.lockFile)
	if err != nil {
		if !errors.Is(err, errBusy) && !errors.Is(err, errMoved) {
			_ = os.Remove(next) // nobody holds what cannot be locked
		}
		return Changes{}, nil, err
	}
	defer lock.release()
	if _, err := os.Lstat(p.dir); !errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(next) // only if this run made it, empty
		return Changes{}, nil, errMoved
	}
	root, err := os.OpenRoot(next)
	if err != nil {
		return Changes{}, nil, err
	}
	defer root.Close()

	s := &session{place: p, writer: w, root: root}
	if err := clearSibling(root); err != nil {
		return Changes{}, nil, err
	}
	changes, err = s.fill(ctx, want)
	if err == nil {
		err = s.at("rename", "")
	}
	if err == nil {
		if runtime.GOOS == "windows" { // which renames no directory that holds open files
			_ = root.Close()
			lock.release()
		}
		err = errors.Join(cancelled(ctx), os.Rename(next, p.dir))
	}
	if err != nil {
		return Changes{}, diag.List{p.failure(errors.Join(err, os.RemoveAll(next)), untouchedNote)}, nil
	}
	made = true
	lock.moved(p.dir)
	syncDir(filepath.Dir(filepath.Clean(p.dir)))
	return changes, nil, nil
}

// fill writes all files to their places in the sibling.
func (s *session) fill(ctx context.Context, want product) (Changes, error) {
	var c Changes
	dirs := map[string]bool{".": true}
	for _, f := range append(slices.Clone(want.files), File{Path: inventoryPath, Data: want.inventory}) {
		if err := errors.Join(cancelled(ctx), s.at("stage", f.Path)); err != nil {
			return Changes{}, err
		}
		if err := makeDirs(s.root, f.Path, func(string) {}); err != nil {
			return Changes{}, err
		}
		if err := writeFile(s.root, f.Path, f.Data); err != nil {
			return Changes{}, err
		}
		dirs[path.Dir(f.Path)] = true
		c.Created = append(c.Created, f.Path)
	}
	if err := syncFiles(s.root, c.Created); err != nil {
		return Changes{}, err
	}
	for dir := range dirs {
		syncDirs(s.root, dir)
	}
	slices.Sort(c.Created)
	return c, nil
}

// siblingIsOurs tells what a killed run left from a directory that only has the
// name of a sibling.
func siblingIsOurs(next string) bool {
	if info, err := os.Lstat(next); err != nil || !info.IsDir() {
		return errors.Is(err, fs.ErrNotExist)
	}
	entries, err := os.ReadDir(next)
	if err != nil || len(entries) == 0 {
		return err == nil
	}
	return slices.ContainsFunc(entries, isMetaDir)
}

func isMetaDir(e fs.DirEntry) bool { return e.Name() == metaDir && e.IsDir() }

// clearSibling empties what a killed run left, and leaves .gpugen, by which the
// next run knows the directory.
func clearSibling(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if isMetaDir(e) {
			continue
		}
		if err := root.RemoveAll(e.Name()); err != nil {
			return err
		}
	}
	if err := makeDirs(root, inventoryPath, func(string) {}); err != nil {
		return err
	}
	left, err := fs.ReadDir(root.FS(), metaDir)
	if err != nil {
		return err
	}
	for _, e := range left {
		if name := metaDir + "/" + e.Name(); name != lockPath {
			if err := root.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweepSibling removes what a run left that was killed before the directory
// existed. It is a favour: errors do not matter.
func (w writer) sweepSibling(dir string) {
	next := sibling(dir)
	if _, err := os.Lstat(next); err != nil || !siblingIsOurs(next) {
		return
	}
	lock, err := lockDir(next, w.lockFile)
	if err != nil {
		return
	}
	defer lock.release()
	root, err := os.OpenRoot(next)
	if err != nil {
		return
	}
	err = clearSibling(root)
	_ = root.Close()
	if err == nil {
		lock.release()
		_ = os.Remove(filepath.Join(next, metaDir))
		_ = os.Remove(next)
	}
}

// makeParents creates the directories above dir and returns how to remove those
// that were missing, as far as they are empty.
func makeParents(dir string) (undo func(), err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var missing []string
	for p := filepath.Dir(abs); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, fs.ErrNotExist) || p == filepath.Dir(p) {
			break
		}
		missing = append(missing, p)
	}
	undo = func() {
		for _, p := range missing {
			_ = os.Remove(p)
		}
	}
	for _, p := range slices.Backward(missing) {
		if err := makeDir(p); err != nil && !errors.Is(err, fs.ErrExist) {
			undo()
			return nil, err
		}
	}
	return undo, nil
}

// syncDir asks the disk to keep the names in a directory of the machine.
func syncDir(dir string) {
	if root, err := os.OpenRoot(dir); err == nil {
		syncDirs(root, ".")
		_ = root.Close()
	}
}
