package schema

import (
	"os"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/diag"
)

// dataNames are the specs that a directory may hold instead of a CUE package.
var dataNames = []string{"cluster.yaml", "cluster.yml", "cluster.json"}

// clusterPackage is the CUE package that a directory's spec is in.
const clusterPackage = "cluster"

// stdinName stands for standard input in positions.
const stdinName = "<stdin>"

// run finds out what the input is and loads it.
func (l *loader) run() *Spec {
	path := l.in.Path
	if path == "" {
		path = "."
	}
	if path == "-" {
		return l.stdin()
	}
	given := diag.Position{File: filepath.ToSlash(path), Line: 1, Column: 1}
	real, err := realPath(path)
	if err != nil {
		l.report(fatalf(idUnreadable, given, "%s", readError(path, err)))
		return nil
	}
	info, err := os.Stat(real)
	if err != nil {
		l.report(fatalf(idUnreadable, given, "%s", readError(path, err)))
		return nil
	}
	if info.IsDir() {
		return l.directory(real)
	}
	return l.file(path, real)
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// file loads one file. The path may be a link: the directory that counts is the
// one it leads to.
func (l *loader) file(path, real string) *Spec {
	l.sources.root = moduleRoot(filepath.Dir(real))
	switch ext := strings.ToLower(filepath.Ext(real)); ext {
	case ".cue":
		return l.cue(filepath.Dir(real), []string{real})
	case ".yaml", ".yml", ".json":
		l.sources.root = filepath.Dir(real)
		src, bad := l.sources.read(real)
		if bad != nil {
			l.report(*bad)
			return nil
		}
		return l.data(src, ext == ".json")
	}
	at := diag.Position{File: filepath.ToSlash(path), Line: 1, Column: 1}
	l.report(fatalf(idFileType, at, "%s: a spec ends in .cue, .yaml, .yml or .json", filepath.ToSlash(path)))
	return nil
}

func (l *loader) stdin() *Spec {
	l.sources.root = l.sources.cwd
	if l.in.Format == "cue" {
		l.sources.root = moduleRoot(l.sources.cwd)
		return l.cueStdin()
	}
	src, bad := l.sources.take(stdinName, "", l.in.reader())
	if bad != nil {
		l.report(*bad)
		return nil
	}
	return l.data(src, looksLikeJSON(src.data))
}

// directory loads the CUE package cluster of a directory, or its one data file.
func (l *loader) directory(dir string) *Spec {
	l.sources.root = moduleRoot(dir)
	at := diag.Position{File: l.sources.display(dir)}
	entries, err := os.ReadDir(dir)
	if err != nil {
		l.report(fatalf(idUnreadable, at, "%s", readError(l.sources.display(dir), err)))
		return nil
	}
	var packages, specs, others []string
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(dir, name)
		for _, n := range dataNames {
			if name == n {
				specs = append(specs, l.sources.display(path))
			}
		}
		if !isCUEFile(name) || e.IsDir() {
			continue
		}
		switch pkg := l.packageOf(path); pkg {
		case clusterPackage, unreadablePackage:
			packages = append(packages, path)
		case "":
			others = append(others, l.sources.display(path)+" has no package clause")
		default:
			others = append(others, l.sources.display(path)+" is package "+pkg)
		}
	}
	if len(packages) > 0 {
		specs = append([]string{"package cluster (" + l.sources.display(packages[0]) + ")"}, specs...)
	}
	switch {
	case len(specs) > 1:
		l.report(fatalf(idTwoSpecs, at, "%s holds %s", l.sources.display(dir), strings.Join(specs, " and ")))
		return nil
	case len(packages) > 0:
		return l.cue(dir, nil)
	case len(specs) == 1:
		for _, n := range dataNames {
			path := filepath.Join(dir, n)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			src, bad := l.sources.read(path)
			if bad != nil {
				l.report(*bad)
				return nil
			}
			return l.data(src, n == "cluster.json")
		}
	}
	f := fatalf(idUnreadable, at, "%s holds no spec: neither CUE of package cluster nor cluster.yaml", l.sources.display(dir))
	if len(others) > 0 {
		f.Message += " (" + strings.Join(others, ", ") + ")"
		f.Fix = "put `package cluster` at the top of the spec's CUE files"
	}
	l.report(f)
	return nil
}

// unreadablePackage stands for the package of a file that cannot be read, so
// that the load reports it.
const unreadablePackage = "\x00"

func (l *loader) packageOf(path string) string {
	src, bad := l.sources.read(path)
	if bad != nil {
		return unreadablePackage
	}
	f, err := parser.ParseFile(path, src.data, parser.PackageClauseOnly)
	if err != nil || f == nil {
		return unreadablePackage
	}
	return f.PackageName()
}

// isCUEFile reports whether CUE would read the file as part of a package.
func isCUEFile(name string) bool {
	return strings.HasSuffix(name, ".cue") &&
		!strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_") &&
		!strings.HasSuffix(name, "_test.cue") && !strings.HasSuffix(name, "_tool.cue")
}
