package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
)

// kind is what lies at a path.
type kind int

const (
	absent kind = iota
	regular
	directory
	link      // a symbolic link at the path or above it
	special   // a pipe, socket or device
	underFile // something above the path is no directory
)

// state is what lies at a path now.
type state struct {
	kind kind
	// at is the path that kind is about: the path itself or one above it.
	at string
	// hash and info are set for a regular file.
	hash string
	info fs.FileInfo
}

// look says what lies at p without following any link.
func look(root *os.Root, p string) (state, error) {
	for dir := range ancestors(p) {
		info, err := root.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return state{kind: absent, at: dir}, nil
		case err != nil:
			return state{}, err
		case info.Mode()&fs.ModeSymlink != 0:
			return state{kind: link, at: dir}, nil
		case !info.IsDir():
			return state{kind: underFile, at: dir}, nil
		}
	}
	info, err := root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return state{kind: absent, at: p}, nil
	case err != nil:
		return state{}, err
	case info.Mode()&fs.ModeSymlink != 0:
		return state{kind: link, at: p}, nil
	case info.IsDir():
		return state{kind: directory, at: p}, nil
	case !info.Mode().IsRegular():
		return state{kind: special, at: p}, nil
	}
	hash, err := hashFile(root, p)
	return state{kind: regular, at: p, hash: hash, info: info}, err
}

func hashFile(root *os.Root, p string) (string, error) {
	f, err := root.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// untouched reports whether p is still the very file that before describes; a
// nil before stands for no file.
func untouched(root *os.Root, p string, before fs.FileInfo) (bool, error) {
	now, err := root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return before == nil, nil
	case err != nil:
		return false, err
	case before == nil:
		return false, nil
	}
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime()), nil
}
