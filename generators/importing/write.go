package importing

import (
	"encoding/json"
	"fmt"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	cuejson "cuelang.org/go/encoding/json"
	cueyaml "cuelang.org/go/encoding/yaml"

	"cuelang.org/go/cue/cuecontext"
)

// first are the fields of a spec that people look for first; others follow by name.
var first = []string{"name", "kubernetes", "gitops", "nodePools"}

// CUE is the spec as a CUE file; what is left to fill in is marked.
//
// An error is a defect of gpugen.
func (r *Result) CUE() ([]byte, error) {
	file := &ast.File{Decls: []ast.Decl{&ast.Package{Name: ast.NewIdent("cluster")}}}
	for _, key := range r.keys() {
		data, err := json.Marshal(map[string]any{key: r.Spec[key]})
		if err != nil {
			return nil, err
		}
		expr, err := cuejson.Extract("", data)
		if err != nil {
			return nil, err
		}
		file.Decls = append(file.Decls, expr.(*ast.StructLit).Elts...)
	}
	for _, todo := range r.Todo {
		if field := find(file.Decls, todo.Field); field != nil {
			ast.AddComment(field, &ast.CommentGroup{Doc: true, List: []*ast.Comment{{Text: "// change me: " + todo.What}}})
		}
	}
	return format.Node(file, format.Simplify())
}

// YAML is the spec as YAML.
//
// An error is a defect of gpugen.
func (r *Result) YAML() ([]byte, error) {
	var out []byte
	for _, key := range r.keys() {
		data, err := json.Marshal(map[string]any{key: r.Spec[key]})
		if err != nil {
			return nil, err
		}
		text, err := cueyaml.Encode(cuecontext.New().CompileBytes(data))
		if err != nil {
			return nil, err
		}
		out = append(out, text...)
	}
	return out, nil
}

func (r *Result) keys() []string {
	var out, others []string
	for _, key := range first {
		if r.Spec[key] != nil {
			out = append(out, key)
		}
	}
	for key := range r.Spec {
		if !slices.Contains(first, key) {
			others = append(others, key)
		}
	}
	slices.Sort(others)
	return append(out, others...)
}

// find returns the field at a path, or the deepest above it.
func find(decls []ast.Decl, path []string) *ast.Field {
	for _, decl := range decls {
		field, ok := decl.(*ast.Field)
		if !ok {
			continue
		}
		label, _, err := ast.LabelName(field.Label)
		if err != nil || label != path[0] {
			continue
		}
		if below, ok := field.Value.(*ast.StructLit); ok && len(path) > 1 {
			if inner := find(below.Elts, path[1:]); inner != nil {
				return inner
			}
		}
		return field
	}
	return nil
}

// Text is a place in a spec as a person writes it.
func (t Todo) Text() string {
	out := ""
	for i, label := range t.Field {
		if i > 0 {
			out += "."
		}
		if !ast.IsValidIdent(label) {
			label = literal.String.Quote(label)
		}
		out += label
	}
	return fmt.Sprintf("%s: %s", out, t.What)
}
