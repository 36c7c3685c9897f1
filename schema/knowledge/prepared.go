package knowledge

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"io/fs"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"cuelang.org/go/cue/ast"

	"github.com/gpugen/gpugen/schema/guard"
	"github.com/gpugen/gpugen/schema/prepared"
)

// PreparedFile is where a build finds the prepared form, below this package.
const PreparedFile = "built/knowledge"

//go:embed built
var built embed.FS

// code cuts the syntax, so a form that other code has cut is none of this build's.
//
//go:embed *.go
var code embed.FS

// Prepare returns the knowledge base as syntax that is parsed already.
//
// An error is a defect of gpugen.
func Prepare() ([]byte, error) {
	b, err := Parse()
	if err != nil {
		return nil, err
	}
	explanations, err := json.Marshal(b.explanations())
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, dir := range packageDirs() {
		parsed, err := parse(dir, map[string]Explanation{})
		if err != nil {
			return nil, err
		}
		files = append(files, parsed...)
	}
	guards, err := guard.Of(filesIn(RulesPackage, files), filesIn(templatesPackage, files))
	if err != nil {
		return nil, err
	}
	if err := resolve([]*ast.File{guards}); err != nil {
		return nil, err
	}
	files = append(files, guards)
	syntax, err := prepared.Write(files)
	if err != nil {
		return nil, err
	}
	out := append(fingerprint(), cueVersion()+"\n"...)
	out = strconv.AppendInt(out, int64(len(explanations)), 10)
	out = append(append(out, '\n'), explanations...)
	return append(out, syntax...), nil
}

// preparedOnce is the knowledge base from its prepared form; nil if the build has
// none, or one of other sources.
var preparedOnce = sync.OnceValue(func() *Base {
	data, err := fs.ReadFile(built, PreparedFile)
	if err != nil {
		return nil
	}
	return readPrepared(data)
})

// preparedBase is that base with syntax of its own; nothing is loaded yet.
func preparedBase() *Base {
	data, err := fs.ReadFile(built, PreparedFile)
	if err != nil {
		return nil
	}
	return unloaded(data, false)
}

func readPrepared(data []byte) *Base {
	b := unloaded(data, true)
	if b == nil || b.loadAll() != nil {
		return nil
	}
	return b
}

// unloaded reads a prepared form, and loads no package. Rules of which guards tell whether
// a spec needs them may wait until one does: what a site knows may change any of them.
func unloaded(data []byte, mayWait bool) *Base {
	rest, ok := bytes.CutPrefix(data, fingerprint())
	if !ok {
		return nil
	}
	version, rest, ok := bytes.Cut(rest, []byte("\n"))
	// Go does not tell a test of which modules it is made.
	if own := cueVersion(); !ok || own != "" && own != string(version) {
		return nil
	}
	size, rest, ok := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.Atoi(string(size))
	if !ok || err != nil || n > len(rest) {
		return nil
	}
	archive, err := prepared.Open(string(rest[n:]))
	if err != nil || len(archive.Names) == 0 {
		return nil
	}
	last := len(archive.Names) - 1
	guards, err := archive.File(last)
	if err != nil {
		return nil
	}
	b := newBase()
	b.guards = guard.Read(guards)
	byDir := map[string][]*ast.File{}
	for i, name := range archive.Names[:last] {
		if mayWait && b.guards.Guarded(name) {
			b.waiting = append(b.waiting, waitingRule{name, sync.OnceValues(func() (*ast.File, error) { return archive.File(i) })})
			continue
		}
		f, err := archive.File(i)
		if err != nil {
			return nil
		}
		dir := path.Dir(name)
		byDir[dir] = append(byDir[dir], f)
	}
	b.syntax = func(dir string) ([]*ast.File, error) { return byDir[dir], nil }
	b.explanations = sync.OnceValue(func() map[string]Explanation {
		out := map[string]Explanation{}
		// What is wrong here shows in the tests of Prepare.
		_ = json.Unmarshal(rest[:n], &out)
		return out
	})
	return b
}

// filesIn are those of a package.
func filesIn(pkg string, files []*ast.File) []*ast.File {
	var out []*ast.File
	for _, f := range files {
		if Module+"/"+path.Dir(f.Filename) == pkg {
			out = append(out, f)
		}
	}
	return out
}

// packageDirs are the directories of the knowledge base.
func packageDirs() []string {
	var out []string
	for _, f := range Sources() {
		// The files of a directory need not follow each other: one below it comes between.
		if dir := path.Dir(f.Path); !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// PackagePaths are the import paths of the knowledge base.
func PackagePaths() []string {
	var out []string
	for _, dir := range packageDirs() {
		out = append(out, Module+"/"+dir)
	}
	return out
}

// fingerprint tells a prepared form of these sources, made by this code, from any other.
func fingerprint() []byte {
	h := sha256.New()
	add := func(name string, data []byte) {
		h.Write(strconv.AppendInt(append([]byte(name), 0), int64(len(data)), 10))
		h.Write(data)
	}
	for _, f := range Sources() {
		add(f.Path, f.Data)
	}
	for _, dir := range []fs.FS{code, guard.Code} {
		names, _ := fs.Glob(dir, "*.go")
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			data, _ := fs.ReadFile(dir, name)
			add(name, data)
		}
	}
	return h.Sum(nil)
}

// cueVersion is the version of CUE in this program; "" if nobody knows.
var cueVersion = func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == "cuelang.org/go" {
			return m.Version
		}
	}
	return ""
}
