package source

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/syntax"
)

// SiteDir is the folder of a module that holds what a site knows besides gpugen.
const SiteDir = "gpugen"

// siteSize bounds what is read of site knowledge in all, in bytes: indexes of charts
// are as large as 64 KiB.
const siteSize = 8 << 20

// sitePlaces are the folders of site knowledge, as in gpugen's own repository, with
// the endings of their files.
var sitePlaces = map[string][]string{
	"schema/facts":        {".cue"},
	"schema/facts/charts": {".cue", ".json"},
	"schema/spec":         {".cue"},
	"schema/rules":        {".cue"},
	"templates":           {".cue"},
}

// Site is what a site knows besides gpugen: files of gpugen's own packages.
type Site struct {
	// Files by place.
	Files []SiteFile

	files *Files
}

// SiteFile is one file of it.
type SiteFile struct {
	*File
	// Place is where the file would lie in gpugen's repository, such as
	// schema/facts/gpu_x.cue.
	Place string
	// Syntax of CUE; nil for the index of a chart.
	Syntax *ast.File
}

// At is a place in one of the files.
func (s *Site) At(pos token.Pos) (diag.Position, bool) {
	// What a file lacks is said to be at its end, which tells nobody anything.
	if src, _ := s.files.Find(pos); src == nil || pos.Offset() >= len(bytes.TrimSpace(src.Data)) {
		return diag.Position{}, false
	}
	return s.files.FieldAt(pos)
}

// Error is the message of an error without paths of the machine.
func (s *Site) Error(err error) string { return s.files.PlainError(err) }

// ReadSite reads the knowledge of the site that an input belongs to: the folder gpugen
// of its module, or beside it where there is none. It is nil where there is no such
// folder, which costs one look. Nothing is evaluated; what is wrong is returned at once.
func ReadSite(in Input) (*Site, diag.List) {
	dir := in.Path
	if dir == "" || dir == "-" {
		dir = "."
	}
	dir, err := realPath(dir)
	if err != nil {
		return nil, nil
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	root := moduleRoot(dir)
	folder := filepath.Join(root, SiteDir)
	holds, err := holdsKnowledge(folder)
	if !holds && err == nil {
		return nil, nil
	}
	files := NewFiles(in.Path)
	files.root, files.most = root, siteSize
	if err != nil {
		// Without its rules a spec would pass that the site forbids.
		return nil, diag.List{unreadable.At(files.whole(folder), "", "%s", readError(files.Name(folder), err))}
	}
	r := &siteReader{files: files, site: &Site{files: files}}
	r.walk(folder)
	slices.SortFunc(r.site.Files, func(a, b SiteFile) int { return strings.Compare(a.Place, b.Place) })
	return r.site, r.found
}

// holdsKnowledge tells whether a folder of the right name is one of site knowledge: not
// a program, nor a module of its own, such as a clone of gpugen.
//
// The error says that it cannot be told.
func holdsKnowledge(folder string) (bool, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return false, unlessAbsent(err)
	}
	if _, err := os.Lstat(filepath.Join(folder, "cue.mod")); !errors.Is(err, fs.ErrNotExist) {
		return false, unlessAbsent(err)
	}
	for _, name := range []string{"schema", "templates"} {
		if _, err := os.Lstat(filepath.Join(folder, name)); !errors.Is(err, fs.ErrNotExist) {
			return err == nil, err
		}
	}
	return false, nil
}

// unlessAbsent leaves out errors that say that there is no such file: also links in a
// circle, which lead to none.
func unlessAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) {
		return nil
	}
	return err
}

// siteReader is the state of one reading.
type siteReader struct {
	files *Files
	site  *Site
	found diag.List
}

// walk reads all files below a folder. Links to files are followed inside the module;
// links to folders would be read twice, or without end.
func (r *siteReader) walk(folder string) {
	if _, ok := r.files.inside(folder); !ok {
		r.found.Add(outside.At(r.files.whole(folder), "", "%s leads outside of the module", r.files.Name(folder)))
		return
	}
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			r.found.Add(unreadable.At(r.files.whole(file), "", "%s", readError(r.files.Name(file), err)))
			return nil
		}
		rel, _ := filepath.Rel(folder, file)
		place := filepath.ToSlash(rel)
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			if d.Type()&fs.ModeSymlink != 0 {
				r.misplaced(file, "is a link to a folder")
			}
			return nil
		}
		if d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return nil
		}
		if ext := path.Ext(place); ext == ".cue" || ext == ".json" {
			r.read(file, place)
		}
		return nil
	})
	if err != nil {
		r.found.Add(unreadable.At(r.files.whole(folder), "", "%s", readError(r.files.Name(folder), err)))
	}
}

func (r *siteReader) misplaced(file, what string) {
	r.found.Add(misplacedKnowledge.At(r.files.whole(file), "", "%s %s", r.files.Name(file), what))
}

func (r *siteReader) read(file, place string) {
	endings, ok := sitePlaces[path.Dir(place)]
	switch {
	case !ok:
		r.misplaced(file, "lies in no folder of site knowledge")
		return
	case !slices.Contains(endings, path.Ext(place)):
		r.misplaced(file, "is no CUE")
		return
	}
	src, bad := r.files.read(file)
	if bad == nil {
		bad = r.files.use(src)
	}
	if bad != nil {
		r.found.Add(*bad)
		return
	}
	if character := diag.Hidden(string(src.Data)); character != "" {
		r.hidden(src, src.Start(), character)
		return
	}
	if secret := diag.Secret(string(src.Data)); secret != "" {
		at := src.Start()
		at.Text = ""
		r.found.Add(unsafeKnowledge.At(at, "", "%s holds %s", src.Name, secret))
		return
	}
	f := SiteFile{File: src, Place: place}
	if path.Ext(place) == ".cue" {
		if f.Syntax = r.parse(src, path.Base(path.Dir(place))); f.Syntax == nil {
			return
		}
	}
	r.site.Files = append(r.site.Files, f)
}

func (r *siteReader) hidden(src *File, at diag.Position, character string) {
	r.found.Add(unsafeKnowledge.At(at, "", "%s holds the character %s, which nobody sees", src.Name, character))
}

// parse parses a file of a package, which may import what gpugen and CUE bring, and
// reads no other file.
func (r *siteReader) parse(src *File, pkg string) *ast.File {
	f, err := parser.ParseFile(src.path, src.Data, parser.ParseComments)
	if err != nil {
		for _, e := range cueerrors.Errors(err) {
			at := src.Start()
			if e.Position().IsValid() {
				at = src.Position(e.Position().Offset(), e.Position().Offset()+1)
			}
			r.found.Add(malformed.At(at, "", "%s", diag.OneLine(Message(e))))
		}
		return nil
	}
	r.files.syntax[src.path] = f
	before := len(r.found)
	if f.PackageName() != pkg {
		r.found.Add(misplacedKnowledge.At(src.Start(), "", "%s is package %s; in its folder belongs package %s", src.Name, f.PackageName(), pkg))
	}
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Attribute:
			if name, _ := n.Split(); name == "embed" || name == "extern" {
				r.found.Add(misplacedKnowledge.At(src.Position(syntax.Extent(n)), "", "%s reads another file by @%s", src.Name, name))
			}
		case *ast.ImportSpec:
			name, err := literal.Unquote(n.Path.Value)
			name, _, _ = strings.Cut(name, ":")
			if first, _, _ := strings.Cut(name, "/"); err != nil || strings.Contains(first, ".") && !isOwnImport(name) {
				r.found.Add(misplacedKnowledge.At(src.Position(syntax.Extent(n)), "",
					"%s imports %s, which is neither gpugen's nor CUE's own", src.Name, syntax.Quote(name)))
			}
		case *ast.BasicLit:
			// Escapes make characters that the file itself does not show.
			if text, err := literal.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				if character := diag.Hidden(strings.ReplaceAll(text, "\r", "")); character != "" {
					r.hidden(src, src.Position(syntax.Extent(n)), character)
				}
			}
		}
		return true
	}, nil)
	if len(r.found) > before {
		return nil
	}
	return f
}

// ownModule is the module whose packages site knowledge may import.
const ownModule = "github.com/gpugen/gpugen"

func isOwnImport(name string) bool {
	dir, ok := strings.CutPrefix(name, ownModule+"/")
	if _, known := sitePlaces[dir]; ok && known {
		return true
	}
	return ok && dir == "schema/rule"
}
