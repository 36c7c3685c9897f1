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
	case !maybeSibling(next):
		return Changes{}, diag.List{place{dir: next}.finding(kindInTheWay, "", "%s is not gpugen's, but the place where it makes %s ready", next, p.dir)}, nil
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
	switch foreign, err := clearSibling(root); {
	case err != nil:
		return Changes{}, nil, err
	case foreign != "":
		return Changes{}, diag.List{place{dir: next}.finding(kindInTheWay, foreign, "%s is not gpugen's, but %s is the place where it makes %s ready", filepath.Join(next, filepath.FromSlash(foreign)), next, p.dir)}, nil
	}
	changes, err = s.fill(ctx, want)
	if err == nil {
		err = errors.Join(s.at("rename", ""), cancelled(ctx))
	}
	if err == nil {
		if runtime.GOOS == "windows" { // which renames no directory that holds open files
			_ = root.Close()
			lock.release()
		}
		err = os.Rename(next, p.dir)
	}
	if err != nil {
		return Changes{}, diag.List{p.failure(errors.Join(err, removeSibling(root, next)), untouchedNote)}, nil
	}
	made = true
	lock.moved(p.dir)
	if runtime.GOOS != "windows" {
		_ = root.Remove(creatingPath) // else the next run does
	}
	syncDir(filepath.Dir(filepath.Clean(p.dir)))
	return changes, nil, nil
}

// fill writes all files to their places in the sibling, after the list by which
// a later run knows them for gpugen's.
func (s *session) fill(ctx context.Context, want product) (Changes, error) {
	files := append(slices.Clone(want.files), File{Path: inventoryPath, Data: want.inventory})
	if err := writeCreating(s.root, files); err != nil {
		return Changes{}, err
	}
	var c Changes
	dirs := map[string]bool{".": true}
	for _, f := range files {
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
