package source

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/load"
	"cuelang.org/go/cue/parser"
)

// refuseUnsafe keeps from cue/load what must not be opened: it reads each file in the
// directory of a package, and in those above it, whole and by itself, data as well. A
// link to a device has no end, and a pipe waits for ever.
func (p *Package) refuseUnsafe() {
	seen := map[string]bool{}
	if p.names == nil {
		p.refuseIn(p.dir, seen)
		return
	}
	for _, path := range p.names {
		p.refuseImports(p.files.syntax[path], seen)
	}
}

// refuseIn looks at a package's directory and those that it inherits from, and at
// what the files there import.
func (p *Package) refuseIn(dir string, seen map[string]bool) {
	for ; !seen[dir]; dir = filepath.Dir(dir) {
		seen[dir] = true
		// What cannot be listed is cue/load's to report.
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			if _, ours := p.over[name]; ours || e.IsDir() {
				continue
			}
			if !isCUEFile(e.Name()) {
				// They are no part of a package, such as data, or the link without a target
				// by which an editor locks a file.
				if p.files.refusal(name) != nil {
					p.over[name] = load.FromString("")
				}
				continue
			}
			if f, err := p.parseFile(name, nil, parser.Config{}); err == nil {
				p.refuseImports(f, seen)
			}
		}
		if dir == p.files.root || dir == filepath.Dir(dir) {
			return
		}
	}
}

// refuseImports looks at the packages of the user that a file imports.
func (p *Package) refuseImports(f *ast.File, seen map[string]bool) {
	if f == nil {
		return
	}
	for spec := range f.ImportSpecs() {
		info, err := astutil.ParseImportSpec(spec)
		if err != nil {
			continue
		}
		name := ast.ParseImportPath(info.ID).Path
		if p.own.Packages[name] != nil {
			continue
		}
		for _, rel := range p.placesOf(name) {
			if filepath.IsLocal(rel) && p.holds(rel) {
				p.refuseIn(filepath.Join(p.files.root, filepath.FromSlash(rel)), seen)
			}
		}
	}
}

// placesOf are the directories of the module in which a package may lie.
func (p *Package) placesOf(importPath string) []string {
	if importPath == p.module {
		return []string{"."}
	}
	if rel, own := strings.CutPrefix(importPath, p.module+"/"); own && p.module != "" {
		return []string{rel}
	}
	var out []string
	for _, kind := range []string{"pkg", "gen", "usr"} {
		out = append(out, path.Join("cue.mod", kind, importPath))
	}
	return out
}
