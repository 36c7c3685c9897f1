package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// disk is where single files go: anywhere, or below a root that no link leads out of.
type disk interface {
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Mkdir(name string, mode fs.FileMode) error
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Link(from, to string) error
	Rename(from, to string) error
	Remove(name string) error
}

// CreateFiles makes files that do not exist yet, and the directories that they need: all of
// them or none, and each as a whole. The paths are those of the machine.
//
// It is for files that belong to no tree, such as a spec; Write is for trees.
func CreateFiles(files []File) error { return putSingles(anywhere{}, files, false) }

// ReplaceFiles is CreateFiles for files that may exist. What they hold then is there until
// all that they are to hold has been written.
func ReplaceFiles(files []File) error { return putSingles(anywhere{}, files, true) }

// ReplaceFilesBelow is ReplaceFiles for paths below a root, which no link leads out of.
func ReplaceFilesBelow(root *os.Root, files []File) error { return putSingles(root, files, true) }

// stagedName is hidden, so that neither CUE nor gpugen reads it as part of a module if
// somebody kills the process before it has its name.
func stagedName(name string) string {
	dir, base := filepath.Split(name)
	return fmt.Sprintf("%s.%s%s%08x", dir, base, stagedMark, rand.Uint32())
}

const stagedMark = ".gpugen-new-"

// IsStaged tells whether a file is one that CreateFiles or ReplaceFiles was killed over.
func IsStaged(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(base, ".") && strings.Contains(base, stagedMark)
}

// singles is a set of files on its way.
type singles struct {
	disk    disk
	replace bool
	// staged are the names that the files have until all are written.
	staged []string
	// old are the names of what was replaced.
	old []string
	// back takes back what was done, in the reverse order.
	back []func() error
}

func putSingles(on disk, files []File, replace bool) error {
	s := &singles{disk: on, replace: replace}
	err := s.run(files)
	if err == nil {
		s.remove(s.old)
		return nil
	}
	for _, undo := range slices.Backward(s.back) {
		err = errors.Join(err, undo())
	}
	return err
}

func (s *singles) run(files []File) error {
	for _, f := range files {
		if err := s.stage(f); err != nil {
			return err
		}
	}
	for i, f := range files {
		if err := named(s.place(s.staged[i], f.Path), f.Path); err != nil {
			return err
		}
	}
	return nil
}

// remove removes what is ours and need not be there any more.
func (s *singles) remove(names []string) {
	for _, name := range names {
		_ = s.disk.Remove(name)
	}
}

// takeBack has a file or directory removed if anything fails; a directory stays if
// somebody has put something into it.
func (s *singles) takeBack(name string) {
	s.back = append(s.back, func() error {
		s.remove([]string{name})
		return nil
	})
}

// stage writes a file beside its place: a disk that is full shows before anything is
// changed.
func (s *singles) stage(f File) error {
	if err := s.mkdirs(filepath.Dir(f.Path)); err != nil {
		return err
	}
	name := stagedName(f.Path)
	out, err := s.disk.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return named(err, f.Path)
	}
	s.staged = append(s.staged, name)
	s.takeBack(name)
	_, err = out.Write(f.Data)
	if err == nil {
		err = out.Sync()
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	return named(err, f.Path)
}

// place gives a file its name.
func (s *singles) place(staged, name string) error {
	info, err := s.disk.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// A link fails where somebody was quicker. Where there are no links, a look has
		// to do.
		if err := s.disk.Link(staged, name); err == nil {
			s.remove([]string{staged})
		} else if errors.Is(err, fs.ErrExist) {
			return err
		} else if err := s.disk.Rename(staged, name); err != nil {
			return err
		}
		s.takeBack(name)
		return nil
	case err != nil:
		return err
	case !s.replace:
		return fs.ErrExist
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
		// What is in a directory is somebody's.
		return errors.New("something that is no file is in the way")
	}
	old := stagedName(name)
	if s.disk.Link(name, old) != nil {
		if err := s.disk.Rename(name, old); err != nil {
			return err
		}
	}
	s.old = append(s.old, old)
	s.back = append(s.back, func() error {
		if err := s.disk.Rename(old, name); err != nil {
			return err
		}
		s.remove([]string{old}) // a rename to another name of the same file leaves both
		return nil
	})
	return s.disk.Rename(staged, name)
}

func (s *singles) mkdirs(dir string) error {
	info, err := s.disk.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is not a directory", filepath.ToSlash(dir))
	case err == nil || filepath.Dir(dir) == dir:
		return err
	}
	if err := s.mkdirs(filepath.Dir(dir)); err != nil {
		return err
	}
	err = s.disk.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) { // somebody was quicker
		return nil
	}
	if err == nil {
		s.takeBack(dir)
	}
	return err
}

// named is an error that names the file that is wanted, not the one that it is made of.
func named(err error, name string) error {
	if err == nil {
		return nil
	}
	out := &fs.PathError{Op: "create", Path: name, Err: err}
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		out.Op, out.Err = path.Op, path.Err
	case errors.As(err, &link):
		out.Err = link.Err
	}
	return out
}

// anywhere is the whole file system, as the user names its files.
type anywhere struct{}

func (anywhere) Stat(name string) (fs.FileInfo, error)     { return os.Stat(name) }
func (anywhere) Lstat(name string) (fs.FileInfo, error)    { return os.Lstat(name) }
func (anywhere) Mkdir(name string, mode fs.FileMode) error { return os.Mkdir(name, mode) }
func (anywhere) Link(from, to string) error                { return os.Link(from, to) }
func (anywhere) Rename(from, to string) error              { return os.Rename(from, to) }
func (anywhere) Remove(name string) error                  { return os.Remove(name) }
func (anywhere) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}
