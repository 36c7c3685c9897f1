package tree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"
)

// The lock is held on the open directory itself: it leaves nothing behind that
// Git could show, and moves with a directory that is renamed into its place.
// Windows cannot lock a directory, and neither can NFS; there .gpugen/lock is
// locked, and removed again while the lock is held.

var (
	// errBusy means that another run holds the lock.
	errBusy = errors.New("another gpugen is writing")
	// errMoved means that the directory changed its identity meanwhile: look again.
	errMoved = errors.New("the directory was replaced meanwhile")
)

// dirLock is a held lock. The zero file means that the directory itself is
// locked.
type dirLock struct {
	flock *flock.Flock
	file  string
}

// lockDir takes the lock of a directory without waiting. It returns errBusy,
// errMoved, or why the directory cannot be locked. byFile demands a lock file.
func lockDir(dir string, byFile bool) (*dirLock, error) {
	if !byFile && runtime.GOOS != "windows" {
		l, err := tryLock(flock.New(dir, flock.SetFlag(os.O_RDONLY)), dir)
		if err == nil || errors.Is(err, errBusy) || errors.Is(err, errMoved) {
			return l, err
		}
		// A file system without locks on directories.
	}
	meta := filepath.Join(dir, metaDir)
	switch err := makeDir(meta); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errMoved
	case err != nil && !errors.Is(err, fs.ErrExist):
		return nil, err
	}
	file := filepath.Join(dir, filepath.FromSlash(lockPath))
	for _, p := range []string{meta, file} {
		if info, err := os.Lstat(p); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return nil, &fs.PathError{Op: "lock", Path: p, Err: errors.New("is neither file nor directory")}
		}
	}
	l, err := tryLock(flock.New(file, flock.SetPermissions(0o644)), file)
	if l != nil {
		l.file = file
	}
	return l, err
}

// tryLock locks and then makes sure that path still names what is locked: a lock
// file may have been removed, a directory renamed, between opening and locking.
func tryLock(f *flock.Flock, path string) (*dirLock, error) {
	ok, err := f.TryLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errMoved
	case err != nil:
		return nil, err
	case !ok:
		return nil, errBusy
	}
	held, err := f.Stat()
	if err == nil {
		var named fs.FileInfo
		if named, err = os.Stat(path); err == nil && os.SameFile(held, named) {
			return &dirLock{flock: f}, nil
		}
	}
	_ = f.Unlock()
	return nil, errMoved
}

// moved tells the lock that its directory has another name now.
func (l *dirLock) moved(dir string) {
	if l.file != "" {
		l.file = filepath.Join(dir, filepath.FromSlash(lockPath))
	}
}

// release gives the lock back; nothing of it stays on disk. Releasing twice does
// nothing.
func (l *dirLock) release() {
	if l.file == "" {
		_ = l.flock.Unlock()
		return
	}
	// Windows does not remove open files; elsewhere the lock must be held for as
	// long as the file has its name.
	if runtime.GOOS == "windows" {
		_ = l.flock.Unlock()
	}
	if l.flock.Locked() || runtime.GOOS == "windows" {
		_ = os.Remove(l.file)
		_ = os.Remove(filepath.Dir(l.file)) // only if nothing else is in it
	}
	_ = l.flock.Unlock()
}
