package syntax

import (
	"bytes"
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"go.yaml.in/yaml/v3"
)

// YAML writes a CUE file of plain data as YAML, with its comments. Fields that are
// written in several places stand together.
//
// An error names what is no plain data: a reference, a type, a comprehension.
func YAML(file *ast.File) ([]byte, error) {
	top := &yaml.Node{Kind: yaml.MappingNode}
	head := commentsOf(file, false)
	for _, decl := range file.Decls {
		if pkg, ok := decl.(*ast.Package); ok {
			head = append(head, commentsOf(pkg, false)...)
			continue
		}
		if err := addYAML(top, decl, nil, nil); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	for _, line := range head {
		out.WriteString(line + "\n")
	}
	if len(head) > 0 {
		out.WriteString("\n")
	}
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(top); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

// addYAML adds a declaration to a map, with the comments of fields around it that have
// no line of their own.
func addYAML(to *yaml.Node, decl ast.Decl, above, beside []string) error {
	if _, ok := decl.(*ast.CommentGroup); ok {
		return nil
	}
	field, ok := decl.(*ast.Field)
	if !ok {
		return fmt.Errorf("%s: only fields can be YAML", decl.Pos())
	}
	label, ok := FieldName(field.Label)
	if !ok {
		return fmt.Errorf("%s: only plain labels can be YAML", field.Pos())
	}
	above, beside = append(above, commentsOf(field, false)...), append(beside, commentsOf(field, true)...)
	beside = append(beside, commentsOf(field.Value, true)...)
	key, value := valueAt(to, label)
	if key == nil {
		key = &yaml.Node{}
		if err := key.Encode(label); err != nil {
			return err
		}
		key.HeadComment = strings.Join(above, "\n")
		above = nil
	}
	inner, isStruct := field.Value.(*ast.StructLit)
	if !isStruct || len(inner.Elts) == 0 {
		if value != nil {
			return fmt.Errorf("%s: %s is written twice", field.Pos(), label)
		}
		plain, err := plainYAML(field.Value)
		if err != nil {
			return err
		}
		mark(key, plain, beside)
		to.Content = append(to.Content, key, plain)
		return nil
	}
	if value == nil {
		value = &yaml.Node{Kind: yaml.MappingNode}
		to.Content = append(to.Content, key, value)
	}
	if len(inner.Elts) > 1 {
		mark(key, value, beside)
		beside = nil
	}
	for i, elt := range inner.Elts {
		var first []string
		if i == 0 {
			first = above
		}
		if err := addYAML(value, elt, first, beside); err != nil {
			return err
		}
	}
	return nil
}

// mark puts comments beside a value: of one with lines of its own, beside its key.
func mark(key, value *yaml.Node, comments []string) {
	text := strings.Join(comments, " ")
	if value.Kind == yaml.ScalarNode {
		value.LineComment = text
	} else {
		key.LineComment = text
	}
}

func valueAt(m *yaml.Node, label string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == label {
			return m.Content[i], m.Content[i+1]
		}
	}
	return nil, nil
}

func plainYAML(expr ast.Expr) (*yaml.Node, error) {
	switch e := expr.(type) {
	case *ast.BasicLit:
		return scalarYAML(e)
	case *ast.UnaryExpr:
		lit, ok := e.X.(*ast.BasicLit)
		if !ok {
			break
		}
		node, err := scalarYAML(lit)
		if err == nil {
			node.Value = e.Op.String() + node.Value
		}
		return node, err
	case *ast.ListLit:
		out := &yaml.Node{Kind: yaml.SequenceNode}
		for _, elt := range e.Elts {
			item, err := plainYAML(elt)
			if err != nil {
				return nil, err
			}
			out.Content = append(out.Content, item)
		}
		if len(out.Content) == 0 {
			out.Style = yaml.FlowStyle
		}
		return out, nil
	case *ast.StructLit:
		out := &yaml.Node{Kind: yaml.MappingNode}
		for _, elt := range e.Elts {
			if err := addYAML(out, elt, nil, nil); err != nil {
				return nil, err
			}
		}
		if len(out.Content) == 0 {
			out.Style = yaml.FlowStyle
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s: only plain data can be YAML", expr.Pos())
}

func scalarYAML(lit *ast.BasicLit) (*yaml.Node, error) {
	out := &yaml.Node{}
	text, err := literal.Unquote(lit.Value)
	if err != nil {
		// A number, a boolean or null, which YAML writes likewise.
		return &yaml.Node{Kind: yaml.ScalarNode, Value: lit.Value}, nil
	}
	if err := out.Encode(text); err != nil {
		return nil, err
	}
	return out, nil
}

// commentsOf are the lines of a node's comments: those beside it, or those before it.
func commentsOf(n ast.Node, beside bool) []string {
	var out []string
	for _, group := range ast.Comments(n) {
		if group.Line != beside {
			continue
		}
		for _, c := range group.List {
			out = append(out, "#"+strings.TrimPrefix(c.Text, "//"))
		}
	}
	return out
}
