package source

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/load"

	"github.com/gpugen/gpugen/schema/diag"
)

// Own is what gpugen itself offers to a user's imports.
type Own struct {
	// Module is the path of gpugen's CUE module.
	Module string
	// SpecPackage is the import path of the schema of a spec.
	SpecPackage string
	// Packages are compiled once, by import path; they take the place of what a
	// user imports under the same path.
	Packages map[string]*build.Instance
	// Text returns the files of these packages, by their path in the module.
	Text func() map[string][]byte
}

// Package is the CUE package that a spec is in: read, not evaluated.
type Package struct {
	*reader
	dir string
	// names are the files of the spec; none means the package cluster of dir.
	names []string
	over  map[string]load.Source
	// spec holds the files of the spec itself, by path.
	spec map[string]bool
	// first is the package that this one reads again, or nil.
	first *Package
	// rules says where the site rules are that were cut out; nil if there are none.
	rules *labelTree
	// whole keeps the site's rules and gpugen's schema in the files; keepSchema
	// only the latter.
	whole, keepSchema bool
	// stripped says that uses of gpugen's schema were cut out.
	stripped bool
	// faults are the syntax errors of files.
	faults map[string]error
	// unbounded are files that are nested too deep to be parsed.
	unbounded map[string]diag.Finding
	// refused are files that may not or cannot be read.
	refused map[string]diag.Finding
	// broken are fields whose value was cut out because it does not compile.
	broken map[*ast.Field]bool
}

func newPackage(r *reader, dir string, names []string, over map[string]load.Source) *Package {
	return &Package{
		reader: r, dir: dir, names: names, over: over,
		spec:      map[string]bool{},
		faults:    map[string]error{},
		unbounded: map[string]diag.Finding{},
		refused:   map[string]diag.Finding{},
		broken:    map[*ast.Field]bool{},
	}
}

// cue reads CUE files, or the package cluster of a directory.
func (r *reader) cue(dir string, names []string) *Text {
	over, ok := r.overlay()
	if !ok {
		return nil
	}
	return newPackage(r, dir, names, over).read()
}

func (r *reader) cueStdin() *Text {
	over, ok := r.overlay()
	if !ok {
		return nil
	}
	path := filepath.Join(r.files.cwd, "gpugen_stdin.cue")
	src, bad := r.files.take(StdinName, path, r.in.reader())
	if bad != nil {
		r.report(*bad)
		return nil
	}
	over[path] = load.FromBytes(src.Data)
	return newPackage(r, r.files.cwd, []string{path}, over).read()
}

func (p *Package) read() *Text {
	if !p.readSpecFiles() {
		return nil
	}
	return &Text{Package: p}
}

// Spec is the spec in the package, without data yet.
func (p *Package) Spec() *Spec {
	spec := &Spec{files: p.files, labels: p.labels()}
	if first := cmp.Or(p.first, p); first.rules != nil {
		first.rules.sort()
		spec.rules = &SiteRules{of: first, labels: first.rules}
	}
	return spec
}

// Files are the files of the user, as far as they were read.
func (p *Package) Files() *Files { return p.files }

// Stripped reports whether uses of gpugen's schema were cut out of the files: the
// walk beside the schema says more than CUE does.
func (p *Package) Stripped() bool { return p.stripped }

// WithSchema is the same package with the uses of gpugen's schema left in it.
func (p *Package) WithSchema() *Package {
	again := newPackage(p.reader, p.dir, p.names, p.over)
	again.first, again.spec, again.keepSchema = p, p.spec, true
	p.files.syntax = map[string]*ast.File{}
	return again
}

// readSpecFiles reads the files of the spec before cue/load does, so that every
// fault in every file is reported.
func (p *Package) readSpecFiles() bool {
	paths := p.names
	if paths == nil {
		paths = p.packageFiles()
	}
	if len(paths) == 0 {
		// The directory had a package a moment ago.
		p.report(unreadable.At(diag.Position{File: p.files.Name(p.dir), Line: 1, Column: 1}, "", "%s cannot be read any more", p.files.Name(p.dir)))
	}
	for i, path := range paths {
		src, bad := p.files.read(path)
		if bad != nil {
			p.report(*bad)
			continue
		}
		if i == 0 {
			p.files.main = src
		}
		if bad := p.files.use(src); bad != nil {
			p.report(*bad)
			return false
		}
		p.spec[path] = true
		p.parse(src)
		p.reportFaults(src)
	}
	if p.found.HasErrors() {
		return false
	}
	nothing := true
	for path := range p.spec {
		nothing = nothing && len(declared(p.files.syntax[path])) == 0 && p.rules == nil
	}
	if nothing {
		p.report(emptySpec.At(p.files.Start(), "", "%s is empty", p.files.main.Name))
		return false
	}
	return true
}

func declared(f *ast.File) []ast.Decl {
	return slices.DeleteFunc(slices.Clone(f.Decls), func(d ast.Decl) bool {
		switch d.(type) {
		case *ast.Package, *ast.ImportDecl, *ast.CommentGroup, *ast.Attribute:
			return true
		}
		return false
	})
}

// packageFiles lists the files of package cluster in dir, and in its parents up
// to the module's root: CUE packages inherit.
func (p *Package) packageFiles() []string {
	var out []string
	for dir := p.dir; ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return out
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if e.IsDir() || !isCUEFile(e.Name()) {
				continue
			}
			if pkg := p.packageOf(path); pkg == clusterPackage || pkg == unreadablePackage && dir == p.dir {
				out = append(out, path)
			}
		}
		_, err = os.Stat(filepath.Join(p.files.root, "cue.mod"))
		if errors.Is(err, fs.ErrNotExist) || dir == p.files.root || dir == filepath.Dir(dir) {
			return out
		}
	}
}

// labels records what the files of the spec write.
func (p *Package) labels() *labelTree {
	x := &labelTree{}
	for _, path := range slices.Sorted(maps.Keys(p.spec)) {
		if f := p.files.syntax[path]; f != nil {
			x.addCUE(p.files.byPath[path], f.Decls, p.broken)
		}
	}
	x.sort()
	return x
}
