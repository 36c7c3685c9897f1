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
	"sync"

	"cuelang.org/go/cue/ast"

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
	syntax, err := prepared.Write(files)
	if err != nil {
		return nil, err
	}
	out := fingerprint()
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
	return unloaded(data)
}

func readPrepared(data []byte) *Base {
	b := unloaded(data)
	if b == nil || b.loadAll() != nil {
		return nil
	}
	return b
}

// unloaded reads a prepared form, and loads no package.
func unloaded(data []byte) *Base {
	rest, ok := bytes.CutPrefix(data, fingerprint())
	if !ok {
		return nil
	}
	size, rest, ok := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.Atoi(string(size))
	if !ok || err != nil || n > len(rest) {
		return nil
	}
	files, err := prepared.Read(string(rest[n:]))
	if err != nil {
		return nil
	}
	byDir := map[string][]*ast.File{}
	for _, f := range files {
		dir := path.Dir(f.Filename)
		byDir[dir] = append(byDir[dir], f)
	}
	b := newBase()
	b.syntax = func(dir string) ([]*ast.File, error) { return byDir[dir], nil }
	b.explanations = sync.OnceValue(func() map[string]Explanation {
		out := map[string]Explanation{}
		// What is wrong here shows in the tests of Prepare.
		_ = json.Unmarshal(rest[:n], &out)
		return out
	})
	return b
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

// fingerprint tells a prepared form of these sources, made by this code and this
// version of CUE, from any other.
func fingerprint() []byte {
	h := sha256.New()
	add := func(name string, data []byte) {
		h.Write(strconv.AppendInt(append([]byte(name), 0), int64(len(data)), 10))
		h.Write(data)
	}
	for _, f := range Sources() {
		add(f.Path, f.Data)
	}
	names, _ := fs.Glob(code, "*.go")
	for _, name := range names {
		data, _ := fs.ReadFile(code, name)
		add(name, data)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "cuelang.org/go" {
				add(m.Path, []byte(m.Version))
			}
		}
	}
	return h.Sum(nil)
}
