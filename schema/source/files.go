package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/bytesize"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/syntax"
)

// DefaultSize bounds what is read of a spec in all, in bytes, where the input says
// nothing else.
const DefaultSize = 1 << 20

// Files reads the user's files: each inside the module, small enough, and
// text. It is safe for concurrent use, as cue/load needs.
type Files struct {
	mu    sync.Mutex
	given string
	cwd   string
	// root is the directory that nothing may be read outside of; free of links.
	root   string
	byPath map[string]*File
	syntax map[string]*ast.File
	total  int
	// most is how many bytes may be read in all.
	most int
	// main is the first file of the spec itself.
	main *File
}

// NewFiles is for a spec at the path that the user gave; nothing is read yet.
func NewFiles(given string) *Files {
	s := &Files{given: given, byPath: map[string]*File{}, syntax: map[string]*ast.File{}, most: DefaultSize}
	if wd, err := os.Getwd(); err == nil {
		s.cwd = wd
		if real, err := filepath.EvalSymlinks(wd); err == nil {
			s.cwd = real
		}
	}
	return s
}

// Name names a file as the user would type it: from the working directory if
// it lies below, otherwise in the way the input was given.
func (s *Files) Name(path string) string {
	if rel, err := filepath.Rel(s.cwd, path); err == nil && (filepath.IsLocal(rel) || !filepath.IsAbs(s.given)) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// inside returns path without links if it lies in the module.
func (s *Files) inside(path string) (string, bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	return real, within(s.root, real)
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// whole is a position at a file as a whole, without its text.
func (s *Files) whole(path string) diag.Position {
	return diag.Position{File: s.Name(path), Line: 1, Column: 1}
}

// Start is the beginning of the spec.
func (s *Files) Start() diag.Position {
	if s.main != nil {
		return s.main.Start()
	}
	return diag.Position{}
}

// read reads a file of the user. The finding is set if it must not be used.
func (s *Files) read(path string) (*File, *diag.Finding) {
	if src := s.known(path); src != nil {
		return src, nil
	}
	if bad := s.refusal(path); bad != nil {
		return nil, bad
	}
	f, err := os.Open(path)
	if err != nil {
		bad := unreadable.At(s.whole(path), "", "%s", readError(s.Name(path), err))
		return nil, &bad
	}
	defer f.Close()
	return s.take(s.Name(path), path, f)
}

// leadsToNothing tells whether a path is a link, and what it leads to is not there.
func leadsToNothing(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	_, err = os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func (s *Files) linkToNothing(path string) diag.Finding {
	f := unreadable.At(s.whole(path), "", "%s is a link, and what it leads to does not exist", s.Name(path))
	f.Why, f.Fix = "by its name it is part of the package", "remove the link, or bring back what it leads to"
	return f
}

// refusal says why a file must not be opened; nil if it may be.
func (s *Files) refusal(path string) *diag.Finding {
	refuse := func(k diag.Kind, format string, args ...any) *diag.Finding {
		f := k.At(s.whole(path), "", format, args...)
		return &f
	}
	info, err := os.Stat(path)
	if err != nil && leadsToNothing(path) {
		f := s.linkToNothing(path)
		return &f
	}
	if err != nil {
		return refuse(unreadable, "%s", readError(s.Name(path), err))
	}
	if _, ok := s.inside(path); !ok {
		return refuse(outside, "%s leads outside of the module", s.Name(path))
	}
	if !info.Mode().IsRegular() {
		return refuse(unreadable, "%s is not a regular file", s.Name(path))
	}
	if info.Size() > int64(s.most) {
		return refuse(tooLarge, "%s is larger than %s", s.Name(path), bytesize.Text(uint64(s.most)))
	}
	return nil
}

// known returns a file that was read already, or nil.
func (s *Files) known(path string) *File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byPath[path]
}

// take reads and checks the bytes of one input.
func (s *Files) take(name, path string, r io.Reader) (*File, *diag.Finding) {
	at := diag.Position{File: name, Line: 1, Column: 1}
	data, err := io.ReadAll(io.LimitReader(r, int64(s.most)+1))
	if err != nil {
		f := unreadable.At(at, "", "%s", readError(name, err))
		return nil, &f
	}
	if len(data) > s.most {
		f := tooLarge.At(at, "", "%s is larger than %s", name, bytesize.Text(uint64(s.most)))
		return nil, &f
	}
	src := newFile(name, path, data)
	if !utf8.Valid(data) {
		f := notUTF8.At(src.invalidUTF8(), "", "%s is not UTF-8", name)
		return nil, &f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byPath[path] = src
	return src, nil
}

// use counts a file as part of the spec.
func (s *Files) use(src *File) *diag.Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	if src.used {
		return nil
	}
	src.used = true
	if s.total += len(src.Data); s.total > s.most {
		f := tooLarge.At(src.Start(), "", "with %s, the spec is larger than %s in all", src.Name, bytesize.Text(uint64(s.most)))
		f.Position.Text = ""
		return &f
	}
	return nil
}

// FieldAt maps a CUE position to the label of the innermost field whose value it
// lies in, if the file is the user's.
func (s *Files) FieldAt(pos token.Pos) (diag.Position, bool) {
	src, file := s.Find(pos)
	if file == nil {
		return diag.Position{}, false
	}
	offset := pos.Offset()
	best := src.Position(offset, offset)
	ast.Walk(file, func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if !ok || f.Value == nil {
			return true
		}
		if start, end := syntax.Extent(f.Value); start <= offset && offset < end {
			best = src.Position(syntax.Extent(f.Label))
		}
		return true
	}, nil)
	return best, true
}

// LabelOf is the place of a field's label, if the file is the user's.
func (s *Files) LabelOf(f *ast.Field) (diag.Position, bool) {
	src, file := s.Find(f.Pos())
	if file == nil {
		return diag.Position{}, false
	}
	return src.Position(syntax.Extent(f.Label)), true
}

// At is a place itself, if the file is the user's.
func (s *Files) At(pos token.Pos, width int) (diag.Position, bool) {
	src, _ := s.Find(pos)
	if src == nil {
		return diag.Position{}, false
	}
	return src.Position(pos.Offset(), pos.Offset()+width), true
}

// Find returns the file that CUE means by a position, and its syntax; nil if it is
// not the user's.
func (s *Files) Find(pos token.Pos) (*File, *ast.File) {
	if !pos.IsValid() {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byPath[pos.Filename()], s.syntax[pos.Filename()]
}

// readError says in plain words why a file cannot be read.
func readError(name string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%s does not exist", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("%s cannot be read: permission denied", name)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Sprintf("%s cannot be read: %v", name, err)
}

// again returns the same files for another load, which parses them anew.
func (s *Files) again() *Files {
	return &Files{given: s.given, cwd: s.cwd, root: s.root, byPath: s.byPath, syntax: map[string]*ast.File{}, total: s.total, most: s.most, main: s.main}
}

// PlainError is the message of an error without paths of the machine.
func (s *Files) PlainError(err error) string {
	text := err.Error()
	for path, src := range s.byPath {
		if path != "" {
			text = strings.ReplaceAll(text, path, src.Name)
		}
	}
	return strings.ReplaceAll(text, s.root+string(filepath.Separator), "")
}
