package schema

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/build"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/load"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/diag"
)

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
			if err == nil && strings.HasSuffix("/"+ast.ParseImportPath(info.ID).Path, "/"+filepath.ToSlash(rel)) {
				return c.sources.known(path).position(extent(spec)), true
			}
		}
	}
	return diag.Position{}, false
}
