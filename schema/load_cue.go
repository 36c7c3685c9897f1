package schema

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/load"

	"github.com/gpugen/gpugen/schema/diag"
)

// cueLoad is one load of CUE files.
type cueLoad struct {
	*loader
	dir string
	// files of the spec; none means the package cluster of dir.
	files []string
	over  map[string]load.Source
	// spec holds the files of the spec itself, by path.
	spec map[string]bool
	// rules says where the site rules are that were cut out; nil if there are none.
	rules *index
	// whole keeps the site's rules and gpugen's schema in the files; keepSchema
	// only the latter.
	whole, keepSchema bool
	// stripped says that uses of gpugen's schema were cut out.
	stripped bool
	// undefined says that some value could not be computed.
	undefined bool
	// faults are the syntax errors of files.
	faults map[string]error
	// refused are files that may not or cannot be read.
	refused map[string]diag.Finding
	// broken are fields whose value was cut out because it does not compile.
	broken map[*ast.Field]bool
}

func newCUELoad(l *loader, dir string, files []string, over map[string]load.Source) *cueLoad {
	return &cueLoad{
		loader: l, dir: dir, files: files, over: over,
		spec:    map[string]bool{},
		faults:  map[string]error{},
		refused: map[string]diag.Finding{},
		broken:  map[*ast.Field]bool{},
	}
}

// cue loads a spec from CUE files, or from the package cluster of a directory.
func (l *loader) cue(dir string, files []string) *Spec {
	over, ok := l.overlay()
	if !ok {
		return nil
	}
	return newCUELoad(l, dir, files, over).run()
}

func (l *loader) cueStdin() *Spec {
	over, ok := l.overlay()
	if !ok {
		return nil
	}
	path := filepath.Join(l.sources.cwd, "gpugen_stdin.cue")
	src, bad := l.sources.take(stdinName, path, l.in.reader())
	if bad != nil {
		l.report(*bad)
		return nil
	}
	over[path] = load.FromBytes(src.data)
	return newCUELoad(l, l.sources.cwd, []string{path}, over).run()
}

func (c *cueLoad) run() *Spec {
	if !c.readSpecFiles() {
		return nil
	}
	spec, found := c.evaluate()
	if c.stripped && spec != nil && c.undefined {
		// The spec may refer to defaults of gpugen's schema that it embeds.
		again := newCUELoad(c.loader, c.dir, c.files, c.over)
		again.spec, again.keepSchema = c.spec, true
		again.sources.syntax = map[string]*ast.File{}
		if other, better := again.evaluate(); other != nil && len(better) < len(found) {
			spec, found = other, better
		}
	}
	c.loader.found = append(c.loader.found, found...)
	if spec != nil && c.rules != nil {
		c.rules.sort()
		spec.site = &SiteRules{load: c, index: c.rules}
	}
	return spec
}

// evaluate loads, builds and compares the spec. Expressions that do not compile
// are reported and cut out, so that they do not hide what else is wrong.
func (c *cueLoad) evaluate() (*Spec, diag.List) {
	var found diag.List
	for range 50 {
		inst := c.instance()
		if c.loader.found.HasErrors() || inst == nil {
			return nil, found
		}
		failed, tripped := guard(c.engine.limits, "the spec", func() { c.engine.ctx.BuildInstance(inst) })
		if tripped {
			failed.Position = c.sources.start()
			return nil, append(found, failed)
		}
		if inst.Err == nil {
			spec := &Spec{sources: c.sources, index: c.indexFiles()}
			w := &walker{engine: c.engine, spec: spec, lenient: len(found) > 0, embedded: c.keepSchema, expressions: true}
			more, ok := c.compare(w, func() cue.Value { return c.engine.ctx.BuildInstance(inst) })
			found = append(found, more...)
			c.undefined = slices.ContainsFunc(more, func(f diag.Finding) bool { return f.ID == idEvaluation })
			if !ok {
				return nil, found
			}
			return spec, found
		}
		cut := false
		for _, err := range cueerrors.Errors(inst.Err) {
			found.Add(c.compileError(err))
			cut = c.cutBroken(err) || cut
		}
		if !cut {
			return nil, found
		}
	}
	return nil, found
}

// readSpecFiles reads the files of the spec before cue/load does, so that every
// fault in every file is reported.
func (c *cueLoad) readSpecFiles() bool {
	paths := c.files
	if paths == nil {
		paths = c.packageFiles()
	}
	for i, path := range paths {
		src, bad := c.sources.read(path)
		if bad != nil {
			c.report(*bad)
			continue
		}
		if i == 0 {
			c.sources.main = src
		}
		if bad := c.sources.use(src); bad != nil {
			c.report(*bad)
			return false
		}
		c.spec[path] = true
		c.parse(src)
		c.reportFaults(src)
	}
	if c.found.HasErrors() {
		return false
	}
	empty := true
	for path := range c.spec {
		empty = empty && len(declared(c.sources.syntax[path])) == 0 && c.rules == nil
	}
	if empty {
		c.report(findingf(idEmpty, c.sources.start(), "%s is empty", c.sources.main.display))
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
func (c *cueLoad) packageFiles() []string {
	var out []string
	for dir := c.dir; ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return out
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if e.IsDir() || !isCUEFile(e.Name()) {
				continue
			}
			if pkg := c.packageOf(path); pkg == clusterPackage || pkg == unreadablePackage && dir == c.dir {
				out = append(out, path)
			}
		}
		_, err = os.Stat(filepath.Join(c.sources.root, "cue.mod"))
		if errors.Is(err, fs.ErrNotExist) || dir == c.sources.root || dir == filepath.Dir(dir) {
			return out
		}
	}
}

// indexFiles records what the files of the spec write.
func (c *cueLoad) indexFiles() *index {
	x := &index{}
	for _, path := range slices.Sorted(maps.Keys(c.spec)) {
		if f := c.sources.syntax[path]; f != nil {
			x.addCUE(c.sources.byPath[path], f.Decls, c.broken)
		}
	}
	x.sort()
	return x
}
