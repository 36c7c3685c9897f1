package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/syntax"
)

// changeMark is in the comment of a line that every user has to change.
const changeMark = "change me: "

// scaffold is an example on its way to becoming somebody's spec.
type scaffold struct {
	data []byte
	// change lists the lines that are left to the user.
	change []scaffoldLine
	// argocd is the namespace of Argo CD; "" where Flux reconciles the tree, whose objects
	// name theirs.
	argocd string
}

type scaffoldLine struct {
	number int
	text   string
}

// newScaffold fills the name of the cluster and the path of its tree into an
// example; an empty one leaves the example's. It is CUE, or YAML.
//
// An error means that the example is not written as examples are.
func newScaffold(spec []byte, name, path string, yaml bool) (*scaffold, error) {
	out := &scaffold{data: spec, argocd: "argocd"}
	for _, field := range []struct {
		path  []string
		value string
	}{{[]string{"name"}, name}, {[]string{"gitops", "path"}, path}} {
		if field.value == "" {
			continue
		}
		if err := out.set(field.path, field.value); err != nil {
			return nil, err
		}
	}
	formatted, err := format.Source(out.data)
	if err != nil {
		return nil, fmt.Errorf("example: %w", err)
	}
	out.data = formatted
	if v, ok := out.find([]string{"gitops", "argocd", "namespace"}); ok {
		if s, err := literal.Unquote(v.Value); err == nil {
			out.argocd = s
		}
	}
	if hasField(out.data, []string{"gitops", "flux"}) {
		out.argocd = ""
	}
	if yaml {
		file, err := parser.ParseFile(specFile, out.data, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("example: %w", err)
		}
		if out.data, err = syntax.YAML(file); err != nil {
			return nil, fmt.Errorf("example: %w", err)
		}
	}
	number := 0
	for line := range bytes.Lines(out.data) {
		number++
		if text := strings.TrimSpace(string(line)); strings.Contains(text, changeMark) {
			out.change = append(out.change, scaffoldLine{number, spaces.ReplaceAllString(text, " ")})
		}
	}
	return out, nil
}

var spaces = regexp.MustCompile(`[ \t]+`)

// set replaces the string at a field, and drops the line's mark.
func (s *scaffold) set(path []string, value string) error {
	lit, ok := s.find(path)
	if !ok {
		return fmt.Errorf("example: no string at %s", strings.Join(path, "."))
	}
	start := lit.Pos().Offset()
	before, after := s.data[:start], s.data[start+len(lit.Value):]
	line, rest, found := bytes.Cut(after, []byte("\n"))
	line = bytes.Replace(line, []byte("// "+changeMark), []byte("// "), 1)
	var out bytes.Buffer
	out.Write(before)
	out.WriteString(strconv.Quote(value))
	out.Write(line)
	if found {
		out.WriteByte('\n')
	}
	out.Write(rest)
	s.data = out.Bytes()
	return nil
}

// hasField tells whether a field is written out label by label.
func hasField(data []byte, path []string) bool {
	file, err := parser.ParseFile(specFile, data)
	if err != nil {
		return false
	}
	decls := file.Decls
	for _, name := range path {
		field := fieldOf(decls, name)
		if field == nil {
			return false
		}
		inside, _ := field.Value.(*ast.StructLit)
		if decls = nil; inside != nil {
			decls = inside.Elts
		}
	}
	return true
}

func fieldOf(decls []ast.Decl, name string) *ast.Field {
	for _, d := range decls {
		if field, ok := d.(*ast.Field); ok {
			if label, _, err := ast.LabelName(field.Label); err == nil && label == name {
				return field
			}
		}
	}
	return nil
}

// find returns the literal at a field that is written out label by label.
func (s *scaffold) find(path []string) (*ast.BasicLit, bool) {
	file, err := parser.ParseFile(specFile, s.data)
	if err != nil {
		return nil, false
	}
	return literalAt(file.Decls, path)
}

func literalAt(decls []ast.Decl, path []string) (*ast.BasicLit, bool) {
	for _, d := range decls {
		field, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		label, _, err := ast.LabelName(field.Label)
		if err != nil || label != path[0] {
			continue
		}
		switch value := field.Value.(type) {
		case *ast.BasicLit:
			if len(path) == 1 {
				return value, true
			}
		case *ast.StructLit:
			if len(path) > 1 {
				if lit, ok := literalAt(value.Elts, path[1:]); ok {
					return lit, true
				}
			}
		}
	}
	return nil, false
}
