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
	"cuelang.org/go/cue/ast/astutil"
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

// cue loads a spec from CUE files, or from the package cluster of a directory.
func (l *loader) cue(dir string, files []string) *Spec {
	over, ok := l.overlay()
	if !ok {
		return nil
	}
	c := &cueLoad{loader: l, dir: dir, files: files, over: over, faults: map[string]error{}, refused: map[string]diag.Finding{}}
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
	c := &cueLoad{loader: l, dir: l.sources.cwd, files: []string{path}, over: over, faults: map[string]error{}, refused: map[string]diag.Finding{}}
	return c.run()
}

func (c *cueLoad) run() *Spec {
	if !c.readSpecFiles() {
		return nil
	}
	spec, found := c.evaluate()
	if c.stripped && spec != nil && c.undefined {
		// The spec may refer to defaults of gpugen's schema that it embeds.
		again := &cueLoad{loader: c.loader, dir: c.dir, files: c.files, over: c.over, spec: c.spec, faults: map[string]error{}, refused: map[string]diag.Finding{}, keepSchema: true}
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
	c.broken = map[*ast.Field]bool{}
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
			w := &walker{engine: c.engine, spec: spec, lenient: len(found) > 0, embedded: c.keepSchema}
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

// parse parses a file once and cuts out what is not the spec's: site rules, and
// gpugen's own schema, which the walk applies. A file with syntax errors comes
// down to its package clause; its errors are reported if the file is part of the
// spec.
func (c *cueLoad) parse(src *source) *ast.File {
	c.sources.mu.Lock()
	f := c.sources.syntax[src.path]
	c.sources.mu.Unlock()
	if f != nil {
		return f
	}
	f, err := parser.ParseFile(src.path, src.data, parser.ParseComments)
	if err != nil {
		c.sources.mu.Lock()
		defer c.sources.mu.Unlock()
		c.faults[src.path] = err
		f, err = parser.ParseFile(src.path, src.data, parser.PackageClauseOnly)
		if err != nil {
			f = &ast.File{Filename: src.path}
		}
		c.sources.syntax[src.path] = f
		return f
	}
	if c.spec[src.path] && !c.whole {
		c.cutRules(src, f)
	}
	stripped := !c.whole && !c.keepSchema && cutSchema(f)
	c.sources.mu.Lock()
	defer c.sources.mu.Unlock()
	c.stripped = c.stripped || stripped
	c.sources.syntax[src.path] = f
	return f
}

// reportFaults reports the syntax errors of a file that is part of the spec.
func (c *cueLoad) reportFaults(src *source) {
	for _, e := range cueerrors.Errors(c.faults[src.path]) {
		at := src.start()
		if e.Position().IsValid() {
			at = src.position(e.Position().Offset(), e.Position().Offset()+1)
		}
		c.report(findingf(idSyntax, at, "%s", clip(messageOf(e))))
	}
}

// parseFile is what cue/load reads each file by; also those of other packages in
// the directory, which are no part of the spec.
func (c *cueLoad) parseFile(name string, data any, cfg parser.Config) (*ast.File, error) {
	if _, ok := c.over[name]; ok && c.sources.known(name) == nil {
		return parser.ParseFile(name, data, cfg)
	}
	src, bad := c.sources.read(name)
	if bad != nil {
		c.sources.mu.Lock()
		defer c.sources.mu.Unlock()
		c.refused[name] = *bad
		return nil, errReported
	}
	return c.parse(src), nil
}

// reportRefused reports the files that could not be read, at the import that led
// to them if there is one.
func (c *cueLoad) reportRefused() {
	for _, name := range slices.Sorted(maps.Keys(c.refused)) {
		f := c.refused[name]
		if at, ok := c.importOf(filepath.Dir(name)); ok {
			f.Position = at
		}
		c.report(f)
	}
}

// importOf is the place of an import of the package in dir.
func (c *cueLoad) importOf(dir string) (diag.Position, bool) {
	rel, err := filepath.Rel(c.sources.root, dir)
	if err != nil || rel == "." {
		return diag.Position{}, false
	}
	for _, path := range slices.Sorted(maps.Keys(c.sources.syntax)) {
		for spec := range c.sources.syntax[path].ImportSpecs() {
			info, err := astutil.ParseImportSpec(spec)
			if err == nil && strings.HasSuffix("/"+info.Dir, "/"+filepath.ToSlash(rel)) {
				return c.sources.known(path).position(extent(spec)), true
			}
		}
	}
	return diag.Position{}, false
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
	if inst.Module == "" {
		// A single file embeds data like a package.
		inst.Module, inst.Root = defaultModuleName, c.sources.root
	}
	c.reportRefused()
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
	for _, f := range inst.Files {
		src := c.sources.known(f.Filename)
		if src == nil || c.spec[src.path] {
			continue
		}
		if bad := c.sources.use(src); bad != nil {
			c.report(*bad)
		}
		c.reportFaults(src)
	}
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
			inst.Imports[i] = ours
			rename(inst, imp.ImportPath, ours.ImportPath)
			continue
		}
		c.checkImports(imp, seen)
	}
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

// rename lets an instance find an import under another path.
func rename(inst *build.Instance, from, to string) {
	if from == to {
		return
	}
	canonical := inst.CanonicalImportPath
	inst.CanonicalImportPath = func(path string) string {
		if canonical != nil {
			path = canonical(path)
		}
		if path == from {
			return to
		}
		return path
	}
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
