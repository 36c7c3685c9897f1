package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
	"github.com/gpugen/gpugen/schema/syntax"
)

// FuzzSource: whatever a text is, reading it ends without a panic; what could not be
// read is a finding with a place inside the text; and of what was read, each field
// has a place. Nothing is evaluated, so that thousands are tried a second.
func FuzzSource(f *testing.F) {
	for i, format := range []string{"cue", "yaml", "json"} {
		f.Add(byte(i), spectest.Write(format, spectest.Good()).Text.String())
	}
	for _, text := range []string{
		"a: &a {<<: *a}\n", "a: &x [1, 2]\nb: *x\n<<: {c: 1}\n", "? [a]\n: b\n", "\"a\\\"b\": 'c''d'\n", "a: |\n  b\n  c\nd: >-\n  e\n",
		"--- a: 1\n--- b: 2\n", "%YAML 1.1\n---\na: !!binary aGVsbG8=\n", "a: 1\na: 2\n", "~: 1\n1: 2\ntrue: 3\n", "\ufeffa: 0x1F\r\nb: 1_000\r\n", "rules: {}\n",
	} {
		f.Add(byte(1), text)
	}
	for _, text := range []string{
		"{\"a\": {\"a\": 1, \"a\": 2}, \"b\": [1e999, -0, \"\\ud800\"]}", "\ufeff{}", "[{}]", "{\"a\" 1}", "{} {}",
	} {
		f.Add(byte(2), text)
	}
	for _, text := range []string{
		"@extern(embed)\npackage cluster\na: _ @embed(file=\"x.json\")\n", "package cluster\nimport \"example.com/x\"\na: x.y\n",
		"import \"github.com/gpugen/gpugen/schema/spec\"\nspec.#Spec\nname: \"x\"\n", "rules: [string]: found: [...]\nrules: {}\n",
		"a: \"\"\"\n\tb\\(c)\n\t\"\"\"\n#D: _|_\nif true {b: [for x in [1] {x}]}\n", "\"a-b\": #\"c\"#\n_h: 1\nx=y: x\n",
	} {
		f.Add(byte(0), text)
	}
	scripts, err := filepath.Glob("../load/testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		f.Fatal("no scripts", err)
	}
	for _, name := range scripts {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			for i, ext := range []string{".cue", ".yaml", ".json"} {
				if filepath.Ext(file.Name) == ext {
					f.Add(byte(i), string(file.Data))
				}
			}
		}
	}
	const module = "github.com/gpugen/gpugen"
	own := source.Own{
		Module:      module,
		SpecPackage: module + "/schema/spec",
		Packages:    map[string]*build.Instance{module + "/schema/spec": {ImportPath: module + "/schema/spec"}},
		Text:        func() map[string][]byte { return nil },
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, format byte, text string) {
		path := filepath.Join(dir, "cluster."+[]string{"cue", "yaml", "json"}[format%3])
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		in, name := source.Input{Path: path}, source.NewFiles(path).Name(path)
		files := source.NewFiles(in.Path)
		read, found := source.Read(in, files, own)
		if read != nil && read.Package != nil {
			_, more := read.Package.Instance()
			found = append(found, more...)
		}
		spectest.CheckFindings(t, found, map[string]string{name: text})
		switch {
		case read == nil && !found.HasErrors():
			t.Error("nothing was read, and nothing found")
		case read != nil && read.Spec != nil:
			eachField(read.Syntax.Decls, nil, func(path []any) {
				places := read.Spec.Places(path)
				if len(places) == 0 {
					t.Errorf("%s stands nowhere", source.PathString(path))
				}
				for _, at := range places {
					spectest.CheckFindings(t, diag.List{{Message: "m", Why: "w", Fix: "f", Position: at}}, map[string]string{name: text})
				}
			})
		}
	})
}

// eachField calls back for each field of data, and below.
func eachField(decls []ast.Decl, path []any, each func(path []any)) {
	for _, d := range decls {
		field, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		if name, ok := syntax.FieldName(field.Label); ok {
			at := source.Join(path, name)
			each(at)
			eachFieldOf(field.Value, at, each)
		}
	}
}

func eachFieldOf(value ast.Expr, path []any, each func(path []any)) {
	switch value := value.(type) {
	case *ast.StructLit:
		eachField(value.Elts, path, each)
	case *ast.ListLit:
		for i, element := range value.Elts {
			eachFieldOf(element, source.Join(path, i), each)
		}
	}
}
