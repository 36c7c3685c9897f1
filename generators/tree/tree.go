// Package tree owns the rendered files: as values in memory, and how they get
// onto a disk without ever leaving a half-written directory or touching what
// gpugen did not write. It must not know what the files mean.
package tree

import (
	"cmp"
	"slices"
)

// File is one file of a tree.
type File struct {
	// Path is relative to the tree's root, with forward slashes, and clean.
	Path string
	Data []byte
	// Yields says that a person's own file at Path stays instead, with --force as well.
	Yields bool
}

// Tree is what a render produced, in memory.
type Tree struct {
	files []File
}

// Add puts a file into the tree. Adding a path twice is a programming error that
// Files reports by keeping both; verify rejects such a tree.
func (t *Tree) Add(path string, data []byte) {
	t.files = append(t.files, File{Path: path, Data: data})
}

// Offer adds a file that is written only where no person has a file of their own.
func (t *Tree) Offer(path string, data []byte) {
	t.files = append(t.files, File{Path: path, Data: data, Yields: true})
}

// Files returns the files sorted by path.
func (t *Tree) Files() []File {
	out := slices.Clone(t.files)
	slices.SortStableFunc(out, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// Get returns the content of a file and whether the tree has it.
func (t *Tree) Get(path string) ([]byte, bool) {
	for _, f := range t.files {
		if f.Path == path {
			return f.Data, true
		}
	}
	return nil, false
}
