package source

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/load"
	"cuelang.org/go/mod/modfile"

	"github.com/gpugen/gpugen/schema/diag"
)

// moduleRoot is the directory that holds cue.mod, or dir itself where there is
// no module.
func moduleRoot(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if info, err := os.Stat(filepath.Join(d, "cue.mod")); err == nil && info.IsDir() {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

// defaultModuleName is the module that a directory without a module file is.
const defaultModuleName = "gpugen.github.io/spec"

// DefaultModule is the module file of a directory without one.
const DefaultModule = "module: \"" + defaultModuleName + "\"\nlanguage: version: \"v0.17.0\"\n"

// overlay offers gpugen's packages to cue/load in cue.mod/pkg, where it looks
// without a registry. Package clauses are enough: after the load, the packages
// that are compiled already take their place.
func (r *reader) overlay() (map[string]load.Source, bool) {
	over := map[string]load.Source{}
	root := r.files.root
	modulePath := filepath.Join(root, "cue.mod", "module.cue")
	own, ok := r.moduleFile(modulePath, over)
	if !ok {
		return nil, false
	}
	r.module = own
	if own == r.own.Module {
		// gpugen's own repository: its packages are where they are imported from.
		return over, true
	}
	if !r.copyIsFresh(filepath.Join(root, "cue.mod", "pkg", filepath.FromSlash(r.own.Module))) {
		return nil, false
	}
	for _, pkg := range slices.Sorted(maps.Keys(r.own.Packages)) {
		name := path.Base(pkg)
		file := filepath.Join(root, "cue.mod", "pkg", filepath.FromSlash(pkg), "gpugen_embedded.cue")
		over[file] = load.FromString("package " + name + "\n")
	}
	return over, true
}

// moduleFile reads cue.mod/module.cue and returns the module's path. gpugen among
// its dependencies is left out: the registry it would come from is not asked.
func (r *reader) moduleFile(file string, over map[string]load.Source) (string, bool) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		over[file] = load.FromString(DefaultModule)
		return "", true
	}
	src, bad := r.files.read(file)
	if bad != nil {
		r.report(*bad)
		return "", false
	}
	if bad := cueFault(src); bad != nil {
		r.report(*bad)
		return "", false
	}
	module, err := modfile.ParseNonStrict(src.Data, file)
	if err != nil {
		at := src.Start()
		for _, pos := range errors.Positions(err) {
			if p, ok := r.files.At(pos, 0); ok {
				at = p
				break
			}
		}
		r.report(badModuleFile.At(at, "", "%s: %s", src.Name, diag.OneLine(r.files.PlainError(err))))
		return "", false
	}
	changed := false
	for dep := range module.Deps {
		if p, _, _ := strings.Cut(dep, "@"); p == r.own.Module {
			delete(module.Deps, dep)
			changed = true
		}
	}
	if changed {
		data, err := modfile.Format(module)
		if err != nil {
			r.report(badModuleFile.At(src.Start(), "", "%s: %s", src.Name, diag.OneLine(r.files.PlainError(err))))
			return "", false
		}
		over[file] = load.FromBytes(data)
	}
	own, _, _ := strings.Cut(module.QualifiedModule(), "@")
	return own, true
}

// copyIsFresh checks a copy of gpugen's schema, which editors and `cue vet` use:
// if it differed, they would judge by another schema than gpugen.
func (r *reader) copyIsFresh(dir string) bool {
	if _, err := os.Stat(dir); err != nil {
		return true
	}
	ours := r.own.Text()
	fresh := true
	_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".cue" || !fresh {
			return nil
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return nil
		}
		src, bad := r.files.read(file)
		if bad != nil {
			r.report(*bad)
			fresh = false
			return nil
		}
		if want, ok := ours[filepath.ToSlash(rel)]; !ok || !bytes.Equal(want, src.Data) {
			r.report(staleCopy.At(diag.Position{File: src.Name, Line: 1, Column: 1}, "",
				"%s differs from the schema of this gpugen; `gpugen init --schema` renews it", src.Name))
			fresh = false
		}
		return nil
	})
	return fresh
}
