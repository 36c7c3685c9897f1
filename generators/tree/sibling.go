package tree

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// sibling is where a directory is made ready before it gets its name. Its lock
// is the lock of the directory: it moves with it.
func sibling(dir string) string {
	dir = filepath.Clean(dir)
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".gpugen-new")
}

// writeCreating lists the files that are about to be made in a sibling. What a
// killed run left there is removed by this list, and nothing else is.
func writeCreating(root *os.Root, files []File) error {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	data, err := json.Marshal(paths)
	if err != nil {
		return err
	}
	if err := makeDirs(root, creatingPath, func(string) {}); err != nil {
		return err
	}
	if err := writeFile(root, creatingPath, data); err != nil {
		return err
	}
	return syncFile(root, creatingPath)
}

// readCreating returns the files of the list; none if it is missing, or if the
// run was killed while it wrote the list: nothing was made before.
func readCreating(root *os.Root) ([]string, error) {
	data, err := ReadRegular(root, creatingPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var paths []string
	if json.Unmarshal(data, &paths) != nil {
		return nil, nil
	}
	return slices.DeleteFunc(paths, func(p string) bool { return p != inventoryPath && checkPath(p) != nil }), nil
}

// maybeSibling tells whether a directory may be what a killed run left: it is
// empty, or has a .gpugen. Only clearSibling knows, which wants the lock.
func maybeSibling(next string) bool {
	if info, err := os.Lstat(next); err != nil || !info.IsDir() {
		return errors.Is(err, fs.ErrNotExist)
	}
	entries, err := os.ReadDir(next)
	if err != nil || len(entries) == 0 {
		return err == nil
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == metaDir && e.IsDir() })
}

// clearSibling removes what a killed run left in a sibling, except the lock. It
// removes nothing if there is anything else, and returns the path of that.
func clearSibling(root *os.Root) (foreign string, err error) {
	listed, err := readCreating(root)
	if err != nil {
		return "", err
	}
	ours := map[string]bool{".": true, metaDir: true, lockPath: true, creatingPath: true}
	for _, p := range listed {
		ours[p] = true
		for dir := range ancestors(p) {
			ours[dir] = true
		}
	}
	var files, dirs []string
	err = fs.WalkDir(root.FS(), ".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !ours[p] || e.Type()&^fs.ModeDir != 0:
			foreign = p
			return fs.SkipAll
		case e.IsDir() && p != "." && p != metaDir:
			dirs = append(dirs, p)
		case !e.IsDir() && p != lockPath && p != creatingPath:
			files = append(files, p)
		}
		return nil
	})
	if err != nil || foreign != "" {
		return foreign, err
	}
	// The list goes last: killed now, the next run still knows the rest.
	slices.Reverse(dirs)
	for _, p := range slices.Concat(files, dirs, []string{creatingPath}) {
		if err := removeFile(root, p); err != nil {
			return "", err
		}
	}
	return "", nil
}

// removeSibling removes a sibling that this run has locked; what is not
// gpugen's stays, and the directory with it.
func removeSibling(root *os.Root, next string) error {
	foreign, err := clearSibling(root)
	if err != nil || foreign != "" {
		return err
	}
	err = errors.Join(removeFile(root, lockPath), removeFile(root, metaDir))
	if err != nil {
		return err
	}
	return os.Remove(next)
}

// sweepSibling removes what a run left that was killed before the directory
// existed. It is a favour: errors do not matter.
func (w writer) sweepSibling(dir string) {
	next := sibling(dir)
	if _, err := os.Lstat(next); err != nil || !maybeSibling(next) {
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
	defer root.Close()
	if foreign, err := clearSibling(root); err == nil && foreign == "" {
		lock.release()
		_ = root.Remove(metaDir)
		_ = os.Remove(next)
	}
}
