package tree

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
)

// What gpugen creates has these modes whatever the umask, so that a tree is the
// same everywhere.
const (
	fileMode fs.FileMode = 0o644
	dirMode  fs.FileMode = 0o755
)

// makeDir creates one directory by its name on the machine.
func makeDir(dir string) error {
	if err := os.Mkdir(dir, dirMode); err != nil {
		return err
	}
	return os.Chmod(dir, dirMode)
}

// makeDirs creates the directories above p that are missing and calls created
// for each, outermost first.
func makeDirs(root *os.Root, p string, created func(dir string)) error {
	for dir := range ancestors(p) {
		err := root.Mkdir(dir, dirMode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		created(dir)
		if err := root.Chmod(dir, dirMode); err != nil {
			return err
		}
	}
	return nil
}

// writeFile creates a file that did not exist. The directories above it must
// exist. Its data are on the disk after syncFiles.
func writeFile(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Chmod(fileMode), f.Close())
}

// syncFiles waits until the data of the files are on the disk. Several at a time
// share the file system's own journal writes, which halves the time or better.
func syncFiles(root *os.Root, names []string) error {
	const workers = 16
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(names) && errs[w] == nil; i += workers {
				errs[w] = syncFile(root, names[i])
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func syncFile(root *os.Root, name string) error {
	// Windows syncs only what is open for writing.
	f, err := root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// keepCopy makes to a second name of the file from, or a copy with the same mode
// and time where the file system has no hard links.
func keepCopy(root *os.Root, from, to string) error {
	if root.Link(from, to) == nil {
		return nil
	}
	return copyFile(root, from, to)
}

func copyFile(root *os.Root, from, to string) error {
	info, err := root.Lstat(from)
	if err != nil {
		return err
	}
	in, err := root.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Chmod(info.Mode().Perm()), out.Sync(), out.Close()); err != nil {
		return err
	}
	return root.Chtimes(to, info.ModTime(), info.ModTime())
}

// removeFile removes a file that may be gone already.
func removeFile(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncDirs asks the disk to keep the names in the directories. Not every file
// system can do that; the data of the files are synced with their errors heeded.
func syncDirs(root *os.Root, dirs ...string) {
	for _, dir := range dirs {
		if f, err := root.Open(dir); err == nil {
			_ = f.Sync()
			_ = f.Close()
		}
	}
}
