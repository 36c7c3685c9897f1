package syntax_test

import (
	"slices"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/syntax"
)

const file = `package a

import "list"
import (
	"strings"
	other "example.com/m/x:y"
	"example.com/n@v1"
	"math"
)

a:  list.Range(0, 1, 1)
b:  strings.ToUpper(other.z)
"c": n.d
_h: 1
#D: 2
[string]: 3
(e): 4
X=f: 5
`

func parsed(t *testing.T) *ast.File {
	t.Helper()
	f, err := parser.ParseFile("a.cue", file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func importsOf(f *ast.File) []string {
	var out []string
	for spec := range f.ImportSpecs() {
		out = append(out, spec.Path.Value)
	}
	return out
}

func TestOnlyImportsThatLostTheirUseAreDropped(t *testing.T) {
	f := parsed(t)
	before := syntax.Identifiers(f.Decls)
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool { return slices.Contains([]string{"a", "b", "c"}, syntax.LabelOf(d)) })
	syntax.DropUnusedImports(f, before)
	if got := importsOf(f); !slices.Equal(got, []string{`"math"`}) {
		t.Errorf("kept %v; math was never used, which is for CUE to say", got)
	}
	f = parsed(t)
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool { return syntax.LabelOf(d) == "a" })
	syntax.DropUnusedImports(f, nil)
	if got := importsOf(f); !slices.Equal(got, []string{`"strings"`, `"example.com/m/x:y"`, `"example.com/n@v1"`}) {
		t.Errorf("kept %v", got)
	}
	for _, d := range f.Decls {
		if i, ok := d.(*ast.ImportDecl); ok && len(i.Specs) == 0 {
			t.Error("an empty import is left")
		}
	}
}

func TestUsedImportsGoByTheNameInTheFile(t *testing.T) {
	f := parsed(t)
	specs := slices.Collect(f.ImportSpecs())
	var got []string
	for _, spec := range syntax.UsedImports(specs, map[string]bool{"other": true, "n": true}) {
		got = append(got, spec.Path.Value)
	}
	if want := []string{`"example.com/m/x:y"`, `"example.com/n@v1"`}; !slices.Equal(got, want) || len(specs) != 5 {
		t.Errorf("got %v, want %v", got, want)
	}
	syntax.DropImport(f, specs[0])
	if got := importsOf(f); len(got) != 4 || got[0] != `"strings"` {
		t.Errorf("kept %v", got)
	}
}

func TestOnlyRegularFieldsHaveAName(t *testing.T) {
	var regular, all []string
	for _, d := range parsed(t).Decls {
		if field, ok := d.(*ast.Field); ok {
			if name, ok := syntax.FieldName(field.Label); ok {
				regular = append(regular, name)
			}
			if name := syntax.LabelOf(d); name != "" {
				all = append(all, name)
			}
		}
	}
	if want := []string{"a", "b", "c", "f"}; !slices.Equal(regular, want) {
		t.Errorf("regular fields %v, want %v", regular, want)
	}
	if want := []string{"a", "b", "c", "_h", "#D", "f"}; !slices.Equal(all, want) {
		t.Errorf("fields %v, want %v", all, want)
	}
}
