package schema

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/diag"
)

// maxInput bounds what is read of a spec, in all.
const maxInput = 1 << 20

// SourceFile is one file that a spec was loaded from.
type SourceFile struct {
	// Path is as the user would type it.
	Path string
	Data []byte
}

// sources reads the user's files: each inside the module, small enough, and
// text. It is safe for concurrent use, as cue/load needs.
type sources struct {
	mu    sync.Mutex
	given string
	cwd   string
	// root is the directory that nothing may be read outside of; free of links.
	root   string
	byPath map[string]*source
	syntax map[string]*ast.File
	total  int
	// main is the first file of the spec itself.
	main *source
}

func newSources(given string) *sources {
	s := &sources{given: given, byPath: map[string]*source{}, syntax: map[string]*ast.File{}}
	if wd, err := os.Getwd(); err == nil {
		s.cwd = wd
		if real, err := filepath.EvalSymlinks(wd); err == nil {
			s.cwd = real
		}
	}
	return s
}

// display names a file as the user would type it: from the working directory if
// it lies below, otherwise in the way the input was given.
func (s *sources) display(path string) string {
	if rel, err := filepath.Rel(s.cwd, path); err == nil && (filepath.IsLocal(rel) || !filepath.IsAbs(s.given)) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// inside returns path without links if it lies in the module.
func (s *sources) inside(path string) (string, bool) {
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

// at is a position at a file as a whole, without its text.
func (s *sources) at(path string) diag.Position {
	return diag.Position{File: s.display(path), Line: 1, Column: 1}
}

// start is the beginning of the spec.
func (s *sources) start() diag.Position {
	if s.main != nil {
		return s.main.start()
	}
	return diag.Position{}
}

// read reads a file of the user. The finding is set if it must not be used.
func (s *sources) read(path string) (*source, *diag.Finding) {
	if src := s.known(path); src != nil {
		return src, nil
	}
	fail := func(f diag.Finding) (*source, *diag.Finding) { return nil, &f }
	info, err := os.Stat(path)
	if err != nil {
		return fail(fatalf(idUnreadable, s.at(path), "%s", readError(s.display(path), err)))
	}
	if _, ok := s.inside(path); !ok {
		return fail(findingf(idOutside, s.at(path), "%s leads outside of the module", s.display(path)))
	}
	if !info.Mode().IsRegular() {
		return fail(fatalf(idUnreadable, s.at(path), "%s is not a regular file", s.display(path)))
	}
	if info.Size() > maxInput {
		return fail(fatalf(idTooLarge, s.at(path), "%s is larger than 1 MiB", s.display(path)))
	}
	f, err := os.Open(path)
	if err != nil {
		return fail(fatalf(idUnreadable, s.at(path), "%s", readError(s.display(path), err)))
	}
	defer f.Close()
	return s.take(s.display(path), path, f)
}

// known returns a file that was read already, or nil.
func (s *sources) known(path string) *source {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byPath[path]
}

// take reads and checks the bytes of one input.
func (s *sources) take(display, path string, r io.Reader) (*source, *diag.Finding) {
	at := diag.Position{File: display, Line: 1, Column: 1}
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		f := fatalf(idUnreadable, at, "%s", readError(display, err))
		return nil, &f
	}
	if len(data) > maxInput {
		f := fatalf(idTooLarge, at, "%s is larger than 1 MiB", display)
		return nil, &f
	}
	src := newSource(display, path, data)
	if !utf8.Valid(data) {
		f := findingf(idEncoding, src.invalidUTF8(), "%s is not UTF-8", display)
		return nil, &f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byPath[path] = src
	return src, nil
}

// use counts a file as part of the spec.
func (s *sources) use(src *source) *diag.Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	if src.used {
		return nil
	}
	src.used = true
	if s.total += len(src.data); s.total > maxInput {
		f := fatalf(idTooLarge, src.start(), "with %s, the spec is larger than 1 MiB in all", src.display)
		f.Position.Text = ""
		return &f
	}
	return nil
}

// invalidUTF8 is the place of the first byte that is not text; the line itself
// is not shown.
func (s *source) invalidUTF8() diag.Position {
	at := 0
	for at < len(s.data) {
		r, size := utf8.DecodeRune(s.data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	p := s.position(at, at)
	p.Text = ""
	return p
}

// loaded returns all files, by name.
func (s *sources) loaded() []SourceFile {
	out := make([]SourceFile, 0, len(s.byPath))
	for _, src := range s.byPath {
		if src.used {
			out = append(out, SourceFile{src.display, src.data})
		}
	}
	slices.SortFunc(out, func(a, b SourceFile) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// locate maps a CUE position to the label of the innermost field whose value it
// lies in, if the file is the user's.
func (s *sources) locate(pos token.Pos) (diag.Position, bool) {
	src, file := s.file(pos)
	if file == nil {
		return diag.Position{}, false
	}
	offset := pos.Offset()
	best := src.position(offset, offset)
	ast.Walk(file, func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if !ok || f.Value == nil {
			return true
		}
		if start, end := extent(f.Value); start <= offset && offset < end {
			best = src.position(extent(f.Label))
		}
		return true
	}, nil)
	return best, true
}

// label is the place of a field's label, if the file is the user's.
func (s *sources) label(f *ast.Field) (diag.Position, bool) {
	src, file := s.file(f.Pos())
	if file == nil {
		return diag.Position{}, false
	}
	return src.position(extent(f.Label)), true
}

// exact is the place of n itself.
func (s *sources) exact(pos token.Pos, width int) (diag.Position, bool) {
	src, _ := s.file(pos)
	if src == nil {
		return diag.Position{}, false
	}
	return src.position(pos.Offset(), pos.Offset()+width), true
}

func (s *sources) file(pos token.Pos) (*source, *ast.File) {
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
func (s *sources) again() *sources {
	return &sources{given: s.given, cwd: s.cwd, root: s.root, byPath: s.byPath, syntax: map[string]*ast.File{}, total: s.total, main: s.main}
}
