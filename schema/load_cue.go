package schema

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/load"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/diag"
)

// errReported stands for what the loader has made a finding of already.
var errReported = errors.New("gpugen: reported")

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
	// whole keeps the site's rules and gpugen's schema in the files.
	whole bool
	// broken are fields whose value was cut out because it does not compile.
	broken map[*ast.Field]bool
}

// cue loads a spec from CUE files, or from the package cluster of a directory.
func (l *loader) cue(dir string, files []string) *Spec {
	over, ok := l.overlay()
	if !ok {
		return nil
	}
	c := &cueLoad{loader: l, dir: dir, files: files, over: over}
	return c.run()
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
	c := &cueLoad{loader: l, dir: l.sources.cwd, files: []string{path}, over: over}
	return c.run()
}

func (c *cueLoad) run() *Spec {
	if !c.readSpecFiles() {
		return nil
	}
	inst := c.instance()
	if c.found.HasErrors() {
		return nil
	}
	spec := &Spec{sources: c.sources, index: c.indexFiles()}
	if c.rules != nil {
		c.rules.sort()
		spec.site = &SiteRules{load: c, index: c.rules}
	}
	return c.compare(spec, func() cue.Value { return c.engine.ctx.BuildInstance(inst) })
}

// readSpecFiles reads the files of the spec before cue/load does, so that every
// fault in every file is reported.
func (c *cueLoad) readSpecFiles() bool {
	c.spec = map[string]bool{}
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
		c.parse(src, parser.Config{})
	}
	if c.found.HasErrors() {
		return false
	}
	empty := true
	for path := range c.spec {
		empty = empty && len(declared(c.sources.syntax[path])) == 0 && c.rules == nil
	}
	if empty {
		c.report(fatalf(idEmpty, c.sources.start(), "%s is empty", c.sources.main.display))
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

// parse parses a file once, reports all its syntax errors, and cuts out what is
// not the spec's: site rules, and gpugen's own schema, which the walk applies.
func (c *cueLoad) parse(src *source, cfg parser.Config) *ast.File {
	c.sources.mu.Lock()
	f := c.sources.syntax[src.path]
	c.sources.mu.Unlock()
	if f != nil {
		return f
	}
	f, err := parser.ParseFile(src.path, src.data, parser.ParseComments)
	for _, e := range cueerrors.Errors(err) {
		at, ok := c.sources.exact(e.Position(), 1)
		if !ok {
			at = src.start()
		}
		c.report(findingf(idSyntax, at, "%s", clip(messageOf(e))))
	}
	if err != nil {
		return nil
	}
	if c.spec[src.path] && !c.whole {
		c.cutRules(src, f)
	}
	c.sources.mu.Lock()
	c.sources.syntax[src.path] = f
	c.sources.mu.Unlock()
	return f
}

// parseFile is what cue/load reads each file by.
func (c *cueLoad) parseFile(name string, data any, cfg parser.Config) (*ast.File, error) {
	if _, ok := c.over[name]; ok && c.sources.byPath[name] == nil {
		return parser.ParseFile(name, data, cfg)
	}
	src, bad := c.sources.read(name)
	if bad == nil {
		bad = c.sources.use(src)
	}
	if bad != nil {
		c.report(*bad)
		return nil, errReported
	}
	f := c.parse(src, cfg)
	if f == nil {
		return nil, errReported
	}
	return f, nil
}

// instance lets cue/load resolve the imports, and checks that nothing leads out
// of the module before anything is evaluated.
func (c *cueLoad) instance() *build.Instance {
	args := []string{"."}
	if c.files != nil {
		args = []string{filepath.Base(c.files[0])}
	}
	cfg := &load.Config{
		Dir:        c.dir,
		ModuleRoot: c.sources.root,
		Overlay:    c.over,
		// Nothing is downloaded.
		Env:       []string{"CUE_REGISTRY=none"},
		ParseFile: c.parseFile,
		Stdin:     strings.NewReader(""),
	}
	if c.files == nil {
		cfg.Package = clusterPackage
	}
	inst := load.Instances(args, cfg)[0]
	c.checkImports(inst, map[*build.Instance]bool{})
	return inst
}

// checkImports reports what could not be resolved, and puts the packages of the
// engine in place of those that cue/load found.
func (c *cueLoad) checkImports(inst *build.Instance, seen map[*build.Instance]bool) {
	if seen[inst] {
		return
	}
	seen[inst] = true
	for _, err := range cueerrors.Errors(inst.Err) {
		c.importError(err)
	}
	c.checkEmbeds(inst)
	for i, imp := range inst.Imports {
		name, _, _ := strings.Cut(imp.ImportPath, ":")
		if p, _, ok := strings.Cut(name, "@"); ok {
			name = p
		}
		if ours := c.engine.instances[name]; ours != nil {
			ours.ImportPath = imp.ImportPath
			inst.Imports[i] = ours
			continue
		}
		c.checkImports(imp, seen)
	}
}

// compileError makes a finding of what CUE says while it compiles.
func (c *cueLoad) compileError(err cueerrors.Error) diag.Finding {
	at := c.sources.start()
	for _, pos := range append(cueerrors.Positions(err), err.InputPositions()...) {
		if p, ok := c.sources.exact(pos, 1); ok {
			at = p
			break
		}
	}
	return findingf(idEvaluation, at, "%s", clip(c.plainError(err)))
}

func (c *cueLoad) importError(err cueerrors.Error) {
	if errors.Is(err, errReported) || strings.Contains(err.Error(), errReported.Error()) {
		return
	}
	at := c.sources.start()
	for _, pos := range append(cueerrors.Positions(err), err.InputPositions()...) {
		if p, ok := c.importSpec(pos); ok {
			at = p
			break
		}
	}
	c.report(findingf(idImport, at, "%s", clip(c.plainError(err))))
}

// importSpec is the place of the import that pos lies in.
func (c *cueLoad) importSpec(pos token.Pos) (diag.Position, bool) {
	src, file := c.sources.file(pos)
	if file == nil {
		return diag.Position{}, false
	}
	for spec := range file.ImportSpecs() {
		if start, end := extent(spec); start <= pos.Offset() && pos.Offset() <= end {
			return src.position(start, end), true
		}
	}
	return src.position(pos.Offset(), pos.Offset()), true
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

// again returns the same files for another load, which parses them anew.
func (s *sources) again() *sources {
	return &sources{given: s.given, cwd: s.cwd, root: s.root, byPath: s.byPath, syntax: map[string]*ast.File{}, total: s.total, main: s.main}
}
