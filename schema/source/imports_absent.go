package source

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/syntax"
	"github.com/gpugen/gpugen/schema/typo"
)

// reportAbsent reports each import of a package that there is not, and whether there is
// any: cue/load ends at the first.
func (p *Package) reportAbsent() bool {
	any := false
	for _, file := range slices.Sorted(maps.Keys(p.files.syntax)) {
		src := p.files.known(file)
		if src == nil {
			continue
		}
		for spec := range p.files.syntax[file].ImportSpecs() {
			info, err := astutil.ParseImportSpec(spec)
			if err != nil {
				continue
			}
			message, fix := p.absent(ast.ParseImportPath(info.ID).Path)
			if message == "" {
				continue
			}
			f := unresolvedImport.At(src.Position(syntax.Extent(spec)), "", "%s", message)
			f.Fix = fix
			if any = true; !slices.ContainsFunc(p.found, func(g diag.Finding) bool { return g.ID == f.ID && g.Position == f.Position }) {
				p.report(f)
			}
		}
	}
	return any
}

// absent says that a package is not where it would be looked for, and what to do; empty
// if it is there, or if only CUE knows.
func (p *Package) absent(importPath string) (message, fix string) {
	first, _, _ := strings.Cut(importPath, "/")
	if !strings.Contains(first, ".") || p.own.Packages[importPath] != nil {
		return "", ""
	}
	name := syntax.Quote(importPath)
	if p.module == "" {
		return fmt.Sprintf("there is no package %s: no CUE module holds the spec, and without one it imports nothing of yours", name),
			"run `gpugen init --schema` at the root of the repository, which makes a module there, and name the module in cue.mod/module.cue"
	}
	if importPath == p.module {
		return "", ""
	}
	if slices.ContainsFunc(p.placesOf(importPath), p.holds) {
		return "", ""
	}
	rel, own := strings.CutPrefix(importPath, p.module+"/")
	if !own {
		return fmt.Sprintf("there is no package %s: the module of the spec is %s, and there is no cue.mod/pkg/%s", name, syntax.Quote(p.module), importPath),
			fmt.Sprintf("correct the path, or copy the package to cue.mod/pkg/%s: nothing is downloaded", importPath)
	}
	message = fmt.Sprintf("there is no package %s: the module %s has no directory %s", name, syntax.Quote(p.module), rel)
	if near := typo.Nearest(path.Base(rel), p.directories(path.Dir(rel))); len(near) > 0 {
		meant := syntax.Quote(path.Join(p.module, path.Dir(rel), near[0]))
		return message + "; did you mean " + meant + "?", "write " + meant
	}
	return message, "correct the path, or make the directory with a CUE file in it"
}

// holds tells whether there is a directory in the module.
func (p *Package) holds(rel string) bool {
	info, err := os.Stat(filepath.Join(p.files.root, filepath.FromSlash(rel)))
	return err == nil && info.IsDir()
}

// directories are the names of those in a directory of the module.
func (p *Package) directories(rel string) []string {
	entries, err := os.ReadDir(filepath.Join(p.files.root, filepath.FromSlash(rel)))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}
