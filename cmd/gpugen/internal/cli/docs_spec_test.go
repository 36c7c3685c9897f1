package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// writeSpecDoc lists every field of the schema by its path, from the schema's
// own comments, defaults and alternatives.
func writeSpecDoc(t *testing.T, out *page) {
	s := &specDoc{t: t, out: out, definitions: map[string]ast.Expr{}}
	files, err := filepath.Glob(filepath.Join(root, "schema/spec/*.cue"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no schema (%v)", err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if field, ok := decl.(*ast.Field); ok {
				label, _, _ := ast.LabelName(field.Label)
				s.definitions[label] = field.Value
			}
		}
	}
	out.line("# The spec")
	out.paragraph("Every field that a spec may have. CUE, YAML and JSON are equal; paths are CUE's, and `<name>` stands for a name of your choice. A field or value that is **not supported yet** is known to the schema, and answered by finding SPEC-031 instead of being ignored.")
	out.paragraph("A field without a default that is not required may be left out. Some defaults follow from facts, such as what a distribution's nodes bring; the text says so.")
	top := s.definitions["#Spec"].(*ast.StructLit)
	for _, decl := range top.Elts {
		field, ok := decl.(*ast.Field)
		if !ok {
			continue
		}
		name, _, _ := ast.LabelName(field.Label)
		out.paragraph("## %s\n", name)
		out.line("| Field | Values | Default | Meaning |\n|---|---|---|---|")
		s.field("", field)
		if name == "components" {
			out.paragraph("### components.<name>\n\nEach component that gpugen knows by name takes:\n")
			out.line("| Field | Values | Default | Meaning |\n|---|---|---|---|")
			s.fields("components.<name>", s.definitions["#Component"])
		}
	}
	if s.rows < 100 {
		t.Errorf("only %d fields were found", s.rows)
	}
}

type specDoc struct {
	t           *testing.T
	out         *page
	definitions map[string]ast.Expr
	rows        int
}

// field writes the row of a field and those below it.
func (s *specDoc) field(parent string, f *ast.Field) {
	path := s.join(parent, f)
	marks := attributes(f)
	values := s.describe(f.Value)
	deflt := values.deflt
	switch {
	case f.Constraint == token.NOT:
		deflt = "required"
	case deflt == "":
		deflt = "-"
	}
	meaning := comment(f)
	if _, isPattern := f.Label.(*ast.ListLit); meaning == "" && !isPattern {
		s.t.Errorf("%s has no comment", path)
	}
	if mark, ok := marks["notyet"]; ok {
		meaning = strings.TrimSpace(meaning + " " + notYet(mark))
	}
	if example, ok := marks["example"]; ok && !strings.Contains(values.text, example) {
		meaning = strings.TrimSpace(meaning + " Example: `" + example + "`.")
	}
	s.rows++
	s.out.line("| `%s` | %s | %s | %s |", path, cell(values.text), cell(deflt), cell(meaning))
	if values.list {
		path += "[]"
	}
	if values.inner != nil && values.reference != "#Component" {
		s.fields(path, values.inner)
	}
}

// fields writes the rows of a struct's fields.
func (s *specDoc) fields(path string, expr ast.Expr) {
	lit, ok := expr.(*ast.StructLit)
	if !ok {
		return
	}
	for _, decl := range lit.Elts {
		if field, ok := decl.(*ast.Field); ok {
			s.field(path, field)
		}
	}
}

func (s *specDoc) join(parent string, f *ast.Field) string {
	label := "<name>"
	if name, _, err := ast.LabelName(f.Label); err == nil {
		label = name
		if strings.Contains(name, "-") {
			label = literal.String.Quote(name)
		}
	}
	if parent == "" {
		return label
	}
	return parent + "." + label
}

// values is what a field may hold.
type values struct {
	text, deflt string
	// inner is the struct to go on with, reference the definition that it is.
	inner     ast.Expr
	reference string
	// list says that inner is what each element is.
	list bool
}

func (s *specDoc) describe(expr ast.Expr) values {
	switch x := expr.(type) {
	case *ast.Ident:
		definition, ok := s.definitions[x.Name]
		if !ok {
			return values{text: kinds(x.Name)}
		}
		out := s.describe(definition)
		if x.Name == "#GPUModel" {
			out.text = "a [GPU model](components.md#gpu-models)"
		}
		if x.Name == "#Distribution" {
			out.text = s.distributions()
		}
		out.reference = x.Name
		return out
	case *ast.StructLit:
		return s.describeStruct(x)
	case *ast.ListLit:
		return s.describeList(x)
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.BasicLit, *ast.CallExpr, *ast.ParenExpr:
		return s.describeAlternatives(expr)
	}
	return values{text: source(s.t, expr)}
}

// distributions are the platforms that there are facts of.
func (s *specDoc) distributions() string {
	files, err := filepath.Glob(filepath.Join(root, "schema/facts/platform_*.cue"))
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, m := range platformName.FindAllStringSubmatch(string(data), -1) {
			names = append(names, fmt.Sprintf("`%q`", m[1]))
		}
	}
	return strings.Join(append(names, "`\"other\"`"), ", ")
}

var platformName = regexp.MustCompile(`(?m)^platforms: ([a-z0-9]+):`)

func (s *specDoc) describeStruct(x *ast.StructLit) values {
	for _, decl := range x.Elts {
		if _, ok := decl.(*ast.Ellipsis); ok {
			return values{text: "fields of any name"}
		}
	}
	return values{text: "fields", inner: x}
}

func (s *specDoc) describeList(x *ast.ListLit) values {
	for _, element := range x.Elts {
		if rest, ok := element.(*ast.Ellipsis); ok && rest.Type != nil {
			inner := s.describe(rest.Type)
			text := "a list; each is " + inner.text
			switch {
			case inner.inner != nil, isStruct(rest.Type):
				text = "a list of objects"
			case inner.text == kinds("string"):
				text = "a list of strings"
			}
			return values{text: text, deflt: "`[]`", inner: inner.inner, list: true}
		}
	}
	return values{text: "a list"}
}

func isStruct(x ast.Expr) bool {
	_, ok := x.(*ast.StructLit)
	return ok
}

// describeAlternatives reads a disjunction: its default, its literals, and what
// error("...") says is wanted.
func (s *specDoc) describeAlternatives(expr ast.Expr) values {
	var out values
	var literals, others []string
	wanted := ""
	for _, x := range alternatives(expr) {
		if mark, ok := x.(*ast.UnaryExpr); ok && mark.Op == token.MUL {
			out.deflt = "`" + source(s.t, mark.X) + "`"
			x = mark.X
		}
		switch x := x.(type) {
		case *ast.BasicLit:
			literals = append(literals, "`"+x.Value+"`")
		case *ast.CallExpr:
			if name, ok := x.Fun.(*ast.Ident); ok && name.Name == "error" {
				wanted = unquote(x.Args[0])
				continue
			}
			if name, ok := x.Fun.(*ast.Ident); ok && name.Name == "or" {
				// What facts add.
				continue
			}
			others = append(others, source(s.t, x))
		default:
			if text := source(s.t, x); text != "bool" {
				others = append(others, text)
			} else {
				literals = []string{"`true`", "`false`"}
			}
		}
	}
	switch {
	case len(others) == 0 && len(literals) > 0:
		out.text = strings.Join(literals, ", ")
	case wanted != "":
		out.text = wanted
	default:
		out.text = "`" + strings.Join(append(literals, others...), " | ") + "`"
	}
	return out
}

func alternatives(expr ast.Expr) []ast.Expr {
	switch x := expr.(type) {
	case *ast.ParenExpr:
		return alternatives(x.X)
	case *ast.BinaryExpr:
		if x.Op == token.OR {
			return append(alternatives(x.X), alternatives(x.Y)...)
		}
	}
	return []ast.Expr{expr}
}

func kinds(name string) string {
	return map[string]string{"string": "a string", "bool": "`true`, `false`", "int": "a number"}[name]
}

func unquote(expr ast.Expr) string {
	if lit, ok := expr.(*ast.BasicLit); ok {
		if text, err := literal.Unquote(lit.Value); err == nil {
			return text
		}
	}
	return ""
}

func source(t *testing.T, expr ast.Expr) string {
	t.Helper()
	data, err := format.Node(expr)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// attributes returns the field's attributes: their bodies by name.
func attributes(f *ast.Field) map[string]string {
	out := map[string]string{}
	for _, a := range f.Attrs {
		key, body := a.Split()
		out[key] = body
	}
	if lit, ok := f.Value.(*ast.StructLit); ok {
		for _, decl := range lit.Elts {
			if pattern, ok := decl.(*ast.Field); ok {
				if _, isPattern := pattern.Label.(*ast.ListLit); isPattern {
					for _, a := range pattern.Attrs {
						key, body := a.Split()
						out[key] = body
					}
				}
			}
		}
	}
	return out
}

// notYet says which part of a field is not supported yet.
func notYet(body string) string {
	switch {
	case body == "" || body == "present":
		return "**Not supported yet.**"
	case strings.HasPrefix(body, `"state=`):
		return "Not supported yet: state `" + strings.TrimSuffix(strings.TrimPrefix(body, `"state=`), `"`) + "`."
	}
	values := strings.Split(body, ", ")
	return "Not supported yet: `" + strings.Join(values, "`, `") + "`."
}

// comment is a field's documentation.
func comment(f *ast.Field) string {
	var out []string
	for _, group := range ast.Comments(f) {
		if !group.Doc {
			continue
		}
		for _, c := range group.List {
			out = append(out, strings.TrimSpace(strings.TrimPrefix(c.Text, "//")))
		}
	}
	return strings.Join(out, " ")
}
