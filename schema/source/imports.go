package source

import (
	"errors"
	"io/fs"
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
	"github.com/gpugen/gpugen/schema/syntax"
)

// Instance lets cue/load resolve the imports, and checks that nothing leads out
// of the module before anything is evaluated. With findings, it must not be.
func (p *Package) Instance() (*build.Instance, diag.List) {
	p.found = nil
	if p.refuseUnsafe(); len(p.refused) > 0 {
		p.reportRefused()
		return nil, p.found
	}
	args := []string{"."}
	if p.names != nil {
		args = []string{filepath.Base(p.names[0])}
	}
	cfg := &load.Config{
		Dir:        p.dir,
		ModuleRoot: p.files.root,
		Overlay:    p.over,
		// Nothing is downloaded.
		Env:       []string{"CUE_REGISTRY=none"},
		ParseFile: p.parseFile,
		Stdin:     strings.NewReader(""),
	}
	if p.names == nil {
		cfg.Package = clusterPackage
	}
	inst := load.Instances(args, cfg)[0]
	if inst.Module == "" {
		// A single file embeds data like a package.
		inst.Module, inst.Root = defaultModuleName, p.files.root
	}
	p.reportRefused()
	p.checkImports(inst, map[*build.Instance]bool{})
	return inst, p.found
}

// checkImports reports what could not be resolved, and puts gpugen's own packages
// in place of those that cue/load found.
func (p *Package) checkImports(inst *build.Instance, seen map[*build.Instance]bool) {
	if seen[inst] {
		return
	}
	seen[inst] = true
	for _, f := range inst.Files {
		src := p.files.known(f.Filename)
		if src == nil || p.spec[src.path] {
			continue
		}
		if bad := p.files.use(src); bad != nil {
			p.report(*bad)
		}
		p.reportFaults(src)
	}
	for _, err := range cueerrors.Errors(inst.Err) {
		p.importError(err)
	}
	p.checkEmbeds(inst)
	for i, imp := range inst.Imports {
		name, _, _ := strings.Cut(imp.ImportPath, ":")
		name, _, _ = strings.Cut(name, "@")
		if ours := p.own.Packages[name]; ours != nil {
			inst.Imports[i] = ours
			rename(inst, imp.ImportPath, ours.ImportPath)
			continue
		}
		p.checkImports(imp, seen)
	}
}

func (p *Package) importError(err cueerrors.Error) {
	if errors.Is(err, errReported) || strings.Contains(err.Error(), errReported.Error()) {
		return
	}
	if p.reportAbsent() {
		return
	}
	// cue/load looks at every name of a directory, also of files that it does not read.
	var at *fs.PathError
	if errors.As(err, &at) {
		path := at.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.dir, path)
		}
		if leadsToNothing(path) {
			p.report(p.files.linkToNothing(path))
			return
		}
	}
	p.report(unresolvedImport.At(p.importedAt(err), "", "%s", diag.OneLine(p.files.PlainError(err))))
}

// importedAt is the place of the import that an error is about, else the start of the
// spec.
func (p *Package) importedAt(err cueerrors.Error) diag.Position {
	for _, pos := range append(cueerrors.Positions(err), err.InputPositions()...) {
		if found, ok := p.importSpec(pos); ok {
			return found
		}
	}
	return p.files.Start()
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
func (p *Package) importSpec(pos token.Pos) (diag.Position, bool) {
	src, file := p.files.Find(pos)
	if file == nil {
		return diag.Position{}, false
	}
	for spec := range file.ImportSpecs() {
		if start, end := syntax.Extent(spec); start <= pos.Offset() && pos.Offset() <= end {
			return src.Position(start, end), true
		}
	}
	return src.Position(pos.Offset(), pos.Offset()), true
}

// reportRefused reports the files that could not be read, at the import that led
// to them if there is one.
func (p *Package) reportRefused() {
	for _, name := range slices.Sorted(maps.Keys(p.refused)) {
		f := p.refused[name]
		if at, ok := p.importOf(filepath.Dir(name)); ok {
			f.Position = at
		}
		p.report(f)
	}
}

// importOf is the place of an import of the package in dir.
func (p *Package) importOf(dir string) (diag.Position, bool) {
	rel, err := filepath.Rel(p.files.root, dir)
	if err != nil || rel == "." {
		return diag.Position{}, false
	}
	for _, path := range slices.Sorted(maps.Keys(p.files.syntax)) {
		for spec := range p.files.syntax[path].ImportSpecs() {
			info, err := astutil.ParseImportSpec(spec)
			if err == nil && strings.HasSuffix("/"+ast.ParseImportPath(info.ID).Path, "/"+filepath.ToSlash(rel)) {
				return p.files.known(path).Position(syntax.Extent(spec)), true
			}
		}
	}
	return diag.Position{}, false
}
