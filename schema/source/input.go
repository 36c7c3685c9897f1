package source

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/diag"
)

// dataNames are the specs that a directory may hold instead of a CUE package.
var dataNames = []string{"cluster.yaml", "cluster.yml", "cluster.json"}

// clusterPackage is the CUE package that a directory's spec is in.
const clusterPackage = "cluster"

// StdinName stands for standard input in positions.
const StdinName = "<stdin>"

// Input says where a spec comes from.
type Input struct {
	// Path is a file (.cue, .yaml, .yml, .json), a directory, or "-" for
	// standard input; "" means ".".
	Path string
	// Stdin is read if Path is "-".
	Stdin io.Reader
	// Format of standard input: "yaml" (the default; JSON is YAML) or "cue".
	Format string
	// AsOf is the day, as in 2026-11-22, by which findings about time go; default:
	// the day of gpugen's knowledge.
	AsOf string
	// Limits bound what the spec may take.
	Limits Limits
	// Apart, if set, is called before anything is evaluated that has CUE's own functions
	// parse a text: they call themselves for each level of what they read, and a stack that
	// overflows ends the process. It judges the same input in another process; with true,
	// that one's findings are all there is to say. at is where such a function is imported.
	Apart func(at diag.Position) (found diag.List, all bool)
}

// Limits bound what one spec may take, so that one that grows without end, or a
// file that is none, ends in a finding. Zero fields mean the defaults.
type Limits struct {
	// Size is how many bytes are read of it in all; default: DefaultSize.
	Size int
	// Time is how long its evaluation may compute; default: a minute.
	Time time.Duration
	// Memory is how many bytes its evaluation may take; default: 3 GiB.
	Memory uint64
}

// Text is a spec as it was read, not evaluated yet: either data, of YAML or JSON,
// or a CUE package.
type Text struct {
	// Spec and Syntax are set for data.
	Spec   *Spec
	Syntax *ast.File
	// Package is set for CUE.
	Package *Package
}

// Read reads a spec into files, and lets it import what gpugen offers. All that is
// wrong is returned at once; the text is nil where nothing could be read.
func Read(in Input, files *Files, own Own) (*Text, diag.List) {
	if in.Limits.Size > 0 {
		files.most = in.Limits.Size
	}
	r := &reader{in: in, files: files, own: own}
	text := r.run()
	return text, r.found
}

// reader is the state of one reading.
type reader struct {
	in    Input
	files *Files
	own   Own
	found diag.List
	// module is the path of the user's module; empty if there is none.
	module string
}

func (r *reader) report(f diag.Finding) { r.found.Add(f) }

// run finds out what the input is and reads it.
func (r *reader) run() *Text {
	path := r.in.Path
	if path == "" {
		path = "."
	}
	if path == "-" {
		return r.stdin()
	}
	given := diag.Position{File: filepath.ToSlash(path), Line: 1, Column: 1}
	real, err := realPath(path)
	if err != nil {
		r.report(unreadable.At(given, "", "%s", readError(path, err)))
		return nil
	}
	info, err := os.Stat(real)
	if err != nil {
		r.report(unreadable.At(given, "", "%s", readError(path, err)))
		return nil
	}
	if info.IsDir() {
		return r.directory(real)
	}
	return r.file(path, real)
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// file reads one file. The path may be a link: the directory that counts is the
// one it leads to.
func (r *reader) file(path, real string) *Text {
	r.files.root = moduleRoot(filepath.Dir(real))
	switch ext := strings.ToLower(filepath.Ext(real)); ext {
	case ".cue":
		return r.cue(filepath.Dir(real), []string{real})
	case ".yaml", ".yml", ".json":
		r.files.root = filepath.Dir(real)
		src, bad := r.files.read(real)
		if bad != nil {
			r.report(*bad)
			return nil
		}
		return r.data(src, ext == ".json")
	}
	at := diag.Position{File: filepath.ToSlash(path), Line: 1, Column: 1}
	r.report(unknownFileType.At(at, "", "%s: a spec ends in .cue, .yaml, .yml or .json", filepath.ToSlash(path)))
	return nil
}

func (r *reader) stdin() *Text {
	r.files.root = r.files.cwd
	if r.in.Format == "cue" {
		r.files.root = moduleRoot(r.files.cwd)
		return r.cueStdin()
	}
	src, bad := r.files.take(StdinName, "", r.in.reader())
	if bad != nil {
		r.report(*bad)
		return nil
	}
	return r.data(src, looksLikeJSON(src.Data))
}

// directory reads the CUE package cluster of a directory, or its one data file.
func (r *reader) directory(dir string) *Text {
	r.files.root = moduleRoot(dir)
	at := diag.Position{File: r.files.Name(dir)}
	entries, err := os.ReadDir(dir)
	if err != nil {
		r.report(unreadable.At(at, "", "%s", readError(r.files.Name(dir), err)))
		return nil
	}
	var packages, specs, others []string
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(dir, name)
		for _, n := range dataNames {
			if name == n {
				specs = append(specs, r.files.Name(path))
			}
		}
		if !isCUEFile(name) || e.IsDir() {
			continue
		}
		switch pkg := r.packageOf(path); pkg {
		case clusterPackage, unreadablePackage:
			packages = append(packages, path)
		case "":
			others = append(others, r.files.Name(path)+" has no package clause")
		default:
			others = append(others, r.files.Name(path)+" is package "+pkg)
		}
	}
	if len(packages) > 0 {
		specs = append([]string{"package cluster (" + r.files.Name(packages[0]) + ")"}, specs...)
	}
	switch {
	case len(specs) > 1:
		r.report(twoSpecs.At(at, "", "%s holds %s", r.files.Name(dir), strings.Join(specs, " and ")))
		return nil
	case len(packages) > 0:
		return r.cue(dir, nil)
	case len(specs) == 1:
		for _, n := range dataNames {
			path := filepath.Join(dir, n)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			src, bad := r.files.read(path)
			if bad != nil {
				r.report(*bad)
				return nil
			}
			return r.data(src, n == "cluster.json")
		}
	}
	f := unreadable.At(at, "", "%s holds no spec: neither CUE of package cluster nor cluster.yaml", r.files.Name(dir))
	if len(others) > 0 {
		f.Message += " (" + strings.Join(others, ", ") + ")"
		f.Fix = "put `package cluster` at the top of the spec's CUE files"
	}
	r.report(f)
	return nil
}

func (in Input) reader() io.Reader {
	if in.Stdin == nil {
		return strings.NewReader("")
	}
	return in.Stdin
}

// unreadablePackage stands for the package of a file that cannot be read, so
// that the load reports it.
const unreadablePackage = "\x00"

func (r *reader) packageOf(path string) string {
	src, bad := r.files.read(path)
	if bad != nil {
		return unreadablePackage
	}
	f, err := parser.ParseFile(path, src.Data, parser.PackageClauseOnly)
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
