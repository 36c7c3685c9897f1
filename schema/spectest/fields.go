package spectest

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/spec"
)

// Field is a leaf of the schema: what may be written at one place of a spec.
type Field struct {
	// Path has "*" for a name that the user chooses, and for the elements of lists.
	Path []string
	// Values are those of a closed set, true and false among them; not those that
	// this release refuses.
	Values []string
	// Fact says that rules alone read it, from @fact().
	Fact bool
	// ForReaders says that nothing reads it but people, from @readers().
	ForReaders bool
	// Examples from @example, in YAML.
	Examples []string
}

// Name is the path as text.
func (f Field) Name() string { return strings.Join(f.Path, ".") }

// Fields lists the leaves of the schema that this release acts on.
func Fields(t testing.TB) []Field {
	t.Helper()
	w := &fieldWalker{definitions: map[string]ast.Expr{}}
	names, err := fs.Glob(spec.Files, "*.cue")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := spec.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(name, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if field, ok := decl.(*ast.Field); ok {
				label, _, _ := ast.LabelName(field.Label)
				w.definitions[label] = field.Value
			}
		}
	}
	w.value(nil, w.definitions["#Spec"], nil)
	if len(w.out) < 100 {
		t.Fatalf("only %d fields in the schema", len(w.out))
	}
	return w.out
}

type fieldWalker struct {
	definitions map[string]ast.Expr
	out         []Field
}

// attributes of a field by name.
func attributes(field *ast.Field) map[string][]string {
	out := map[string][]string{}
	for _, a := range field.Attrs {
		name, body := a.Split()
		out[name] = append(out[name], body)
	}
	return out
}

func (w *fieldWalker) field(path []string, field *ast.Field) {
	marks := attributes(field)
	var refused []string
	if notYet, ok := marks["notyet"]; ok {
		for _, body := range strings.Split(notYet[0], ", ") {
			text, err := literal.Unquote(body)
			switch {
			case err == nil && !strings.Contains(text, "="):
				refused = append(refused, text)
			case body == "" || body == "present" || body == "true":
				// Nothing acts on it, which finding SPEC-031 says.
				return
			}
		}
	}
	label, _, err := ast.LabelName(field.Label)
	if _, isPattern := field.Label.(*ast.ListLit); isPattern || err != nil {
		label = "*"
	}
	if len(path) == 1 && path[0] == "components" {
		label = "*"
	}
	marks["refused"] = refused
	w.value(append(slices.Clone(path), label), field.Value, marks)
}

func (w *fieldWalker) value(path []string, expr ast.Expr, marks map[string][]string) {
	if id, ok := expr.(*ast.Ident); ok && w.definitions[id.Name] != nil {
		w.value(path, w.definitions[id.Name], marks)
		return
	}
	switch x := expr.(type) {
	case *ast.StructLit:
		w.fields(path, x, marks)
		return
	case *ast.ListLit:
		if rest, ok := x.Elts[0].(*ast.Ellipsis); ok {
			w.value(append(slices.Clone(path), "*"), rest.Type, marks)
			return
		}
	}
	leaf := Field{Path: path, Fact: marks["fact"] != nil, ForReaders: marks["readers"] != nil, Examples: marks["example"]}
	closed := true
	for _, x := range alternatives(expr) {
		switch x := x.(type) {
		case *ast.BasicLit:
			text := x.Value
			if x.Kind == token.STRING {
				text, _ = literal.Unquote(text)
			}
			if !slices.Contains(marks["refused"], text) {
				leaf.Values = append(leaf.Values, text)
			}
		case *ast.Ident:
			closed = closed && x.Name == "bool"
			if x.Name == "bool" {
				leaf.Values = []string{"true", "false"}
			}
		case *ast.CallExpr:
			if name, ok := x.Fun.(*ast.Ident); !ok || name.Name != "error" {
				closed = false
			}
		default:
			closed = false
		}
	}
	if !closed {
		leaf.Examples = append(leaf.Examples, leaf.Values...)
		leaf.Values = nil
	}
	if len(leaf.Values) != 1 {
		w.add(leaf)
	}
}

// add adds a leaf; those of one component stand for those of all.
func (w *fieldWalker) add(f Field) {
	if !slices.ContainsFunc(w.out, func(other Field) bool { return other.Name() == f.Name() }) {
		w.out = append(w.out, f)
	}
}

func (w *fieldWalker) fields(path []string, lit *ast.StructLit, marks map[string][]string) {
	for _, decl := range lit.Elts {
		switch decl := decl.(type) {
		case *ast.Field:
			w.field(path, decl)
		case *ast.EmbedDecl:
			w.value(path, decl.Expr, marks)
		case *ast.Ellipsis:
			if len(lit.Elts) == 1 {
				w.add(Field{Path: path, Fact: marks["fact"] != nil})
			}
		}
	}
}

// alternatives of a disjunction, without the marks of defaults.
func alternatives(expr ast.Expr) []ast.Expr {
	switch x := expr.(type) {
	case *ast.ParenExpr:
		return alternatives(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return alternatives(x.X)
		}
	case *ast.BinaryExpr:
		if x.Op == token.OR {
			return append(alternatives(x.X), alternatives(x.Y)...)
		}
	}
	return []ast.Expr{expr}
}
