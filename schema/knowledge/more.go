package knowledge

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/syntax"
)

// More is what a site adds to the knowledge base: files of the same packages, which
// unify with gpugen's own.
type More struct {
	// Files by where they would lie in gpugen's repository.
	Files []Source
	// Names of these files in the positions of errors, by path.
	Names map[string]string
	// Indexes of charts, by name and version with a hyphen between them.
	Indexes map[string][]byte
	// Said is what templates may say of it: any data.
	Said any
}

// With is the knowledge base with what a site adds. It has syntax of its own, so that
// nothing of it is seen by other engines.
//
// An error is about the site's files, or a defect of gpugen.
func With(more More) (*Base, error) {
	b := preparedBase()
	if b == nil {
		b = parsed()
	}
	return b, b.add(more)
}

// add adds what a site knows to a base that has loaded nothing, and loads it.
func (b *Base) add(more More) error {
	b.more = more
	ours := b.explanations
	theirs := map[string]Explanation{}
	for _, f := range more.Files {
		if Module+"/"+path.Dir(f.Path) != RulesPackage {
			continue
		}
		if _, err := parseFile(more.Names[f.Path], f, theirs); err != nil {
			return err
		}
	}
	b.explanations = sync.OnceValue(func() map[string]Explanation {
		out := map[string]Explanation{}
		for id, x := range theirs {
			out[id] = x
		}
		for id, x := range ours() {
			out[id] = x
		}
		return out
	})
	return b.loadAll()
}

// withMore adds the site's files of a directory to ours.
func (b *Base) withMore(dir string, files []*ast.File) ([]*ast.File, error) {
	var theirs []*ast.File
	for _, f := range b.more.Files {
		if path.Dir(f.Path) != dir {
			continue
		}
		parsed, err := parseFile(b.more.Names[f.Path], f, map[string]Explanation{})
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, parsed)
	}
	if len(theirs) == 0 {
		return files, nil
	}
	return append(slices.Clip(files), theirs...), resolve(theirs)
}

// Whole compiles the knowledge base with what a site adds and nothing cut out of it, so
// that types compare what they compare in tests. It returns packages by directory.
func Whole(more More) func(dir string) cue.Value {
	b := newBase()
	b.syntax = func(dir string) ([]*ast.File, error) {
		var files []*ast.File
		for _, f := range slices.Concat(Sources(), more.Files) {
			if path.Dir(f.Path) != dir {
				continue
			}
			name := f.Path
			if theirs := more.Names[f.Path]; theirs != "" {
				name = theirs
			}
			parsed, err := parser.ParseFile(name, f.Data)
			if err != nil {
				return nil, err
			}
			files = append(files, parsed)
		}
		return files, resolve(files)
	}
	ctx := cuecontext.New()
	return func(dir string) cue.Value { return ctx.BuildInstance(b.load(token.NoPos, Module+"/"+dir)) }
}

// Alone evaluates declarations of a file, with its text, without gpugen's knowledge; what refers to
// anything else is not evaluated.
func Alone(data []byte, f *ast.File, decls []ast.Decl) {
	var text strings.Builder
	for spec := range f.ImportSpecs() {
		if name, err := literal.Unquote(spec.Path.Value); err == nil && !strings.Contains(name, ".") {
			fmt.Fprintf(&text, "import %s\n", spec.Path.Value)
		}
	}
	for _, d := range decls {
		switch d.(type) {
		case *ast.Package, *ast.ImportDecl:
			continue
		}
		text.Write(data[d.Pos().Offset():d.End().Offset()])
		text.WriteByte('\n')
	}
	parsed, err := parser.ParseFile("", text.String())
	if err != nil {
		return
	}
	syntax.DropUnusedImports(parsed, nil)
	it, err := cuecontext.New().BuildFile(parsed).Fields(cue.All())
	if err != nil {
		return
	}
	for it.Next() {
		_ = it.Value().Validate()
	}
}
