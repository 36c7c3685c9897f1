package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	cuejson "cuelang.org/go/encoding/json"
	cueyaml "cuelang.org/go/encoding/yaml"
	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema/diag"
)

func (in Input) reader() io.Reader {
	if in.Stdin == nil {
		return strings.NewReader("")
	}
	return in.Stdin
}

// looksLikeJSON tells JSON on standard input from YAML, which cannot hold all of
// it.
func looksLikeJSON(data []byte) bool {
	return len(data) > 0 && (data[0] == '{' || data[0] == '[') && json.Valid(data)
}

// data loads a spec from YAML or JSON.
func (l *loader) data(src *source, isJSON bool) *Spec {
	l.sources.main = src
	if bad := l.sources.use(src); bad != nil {
		l.report(*bad)
		return nil
	}
	spec := &Spec{sources: l.sources, index: &index{}}
	var syntax *ast.File
	if isJSON {
		syntax = l.json(src, spec)
	} else {
		syntax = l.yaml(src, spec)
	}
	if syntax == nil {
		return nil
	}
	if rules := spec.index.fields["rules"]; rules != nil {
		l.report(findingf(idYAMLRules, rules.places[0].position(), "rules: site rules are written in CUE"))
		removeField(syntax, "rules")
	}
	found, ok := l.compare(&walker{engine: l.engine, spec: spec}, func() cue.Value { return l.engine.ctx.BuildFile(syntax) })
	l.found = append(l.found, found...)
	if !ok {
		return nil
	}
	return spec
}

func (l *loader) json(src *source, spec *Spec) *ast.File {
	data := bytes.TrimPrefix(src.data, []byte("\uFEFF"))
	if len(bytes.TrimSpace(data)) == 0 {
		l.report(findingf(idEmpty, src.start(), "%s is empty", src.display))
		return nil
	}
	if at, err := jsonFault(data); err != nil {
		at += len(src.data) - len(data)
		l.report(findingf(idSyntax, src.position(at, at+1), "%s: %s", src.display, strings.TrimPrefix(err.Error(), "json: ")))
		return nil
	}
	expr, err := cuejson.Extract(src.display, src.data)
	if err != nil {
		l.report(findingf(idSyntax, src.start(), "%s: %s", src.display, clip(err.Error())))
		return nil
	}
	lit, ok := expr.(*ast.StructLit)
	if !ok {
		l.report(findingf(idNotAMapping, src.start(), "%s holds %s at the top level, not fields", src.display, exprKind(expr)))
		return nil
	}
	spec.index.addCUE(src, lit.Elts, nil)
	spec.duplicates = jsonDuplicates(spec.index, nil)
	l.duplicates(spec)
	return &ast.File{Filename: src.display, Decls: lit.Elts}
}

// jsonFault returns where JSON is not well-formed.
func jsonFault(data []byte) (int, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	var v any
	if err := d.Decode(&v); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return max(int(syntax.Offset)-1, 0), err
		}
		return len(data), err
	}
	if _, err := d.Token(); err != io.EOF {
		return int(d.InputOffset()), errors.New("something follows the first value")
	}
	return 0, nil
}

func jsonDuplicates(x *index, path []any) []duplicate {
	var out []duplicate
	for name, f := range x.fields {
		at := join(path, name)
		for _, p := range f.places[1:] {
			out = append(out, duplicate{at, f.places[0].position(), p.position()})
		}
		out = append(out, jsonDuplicates(f, at)...)
	}
	for i, item := range x.items {
		out = append(out, jsonDuplicates(item, join(path, i))...)
	}
	return out
}

func (l *loader) duplicates(spec *Spec) {
	for _, d := range spec.duplicates {
		f := findingf(idDuplicate, d.next, "%s is written twice", fieldText(d.path))
		f.Path = PathString(d.path)
		f.Also = []diag.Place{{Position: d.first, Path: f.Path, Note: "the first one"}}
		l.report(f)
	}
}

func (l *loader) yaml(src *source, spec *Spec) *ast.File {
	if at := oddLineBreak.FindIndex(src.data); at != nil {
		l.report(findingf(idSyntax, src.position(at[0], at[0]+1), "%s holds a line break that is neither LF nor CRLF; in a string, write it as \\r, \\N, \\L or \\P", src.display))
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(src.data))
	var doc, next yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		l.report(findingf(idEmpty, src.start(), "%s is empty", src.display))
		return nil
	case err != nil:
		l.yamlFault(src, err)
		return nil
	}
	switch err := decoder.Decode(&next); {
	case errors.Is(err, io.EOF):
	case err != nil:
		l.yamlFault(src, err)
		return nil
	default:
		at := src.offset(max(next.Line, 1), next.Column)
		l.report(findingf(idDocuments, src.position(at, at+1), "%s holds more than one document", src.display))
		return nil
	}
	top := &doc
	for top.Kind == yaml.DocumentNode && len(top.Content) > 0 {
		top = top.Content[0]
	}
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		l.report(findingf(idEmpty, src.start(), "%s is empty", src.display))
		return nil
	}
	if top.Kind != yaml.MappingNode {
		at := src.offset(top.Line, top.Column)
		l.report(findingf(idNotAMapping, src.position(at, at+1), "%s holds %s at the top level, not fields", src.display, yamlKind(top)))
		return nil
	}
	file, err := cueyaml.Extract(src.display, src.data)
	if err != nil {
		l.yamlFault(src, err)
		return nil
	}
	spec.duplicates = spec.index.addYAML(src, &doc)
	l.duplicates(spec)
	return file
}

// oddLineBreak is what YAML 1.1 counts as the end of a line and nobody else does:
// positions would be wrong.
var oddLineBreak = regexp.MustCompile("\r(?:[^\n]|$)|[\u0085\u2028\u2029]")

var yamlLine = regexp.MustCompile(`(?:line |:)([0-9]+):?\s*`)

// yamlFault reports a syntax error; YAML's parser says the line in its text.
func (l *loader) yamlFault(src *source, err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.ReplaceAll(strings.TrimPrefix(text, "unmarshal errors:"), src.display, "")
	at := src.start()
	if m := yamlLine.FindStringSubmatchIndex(text); m != nil {
		if n, err := strconv.Atoi(text[m[2]:m[3]]); err == nil {
			n = min(max(n, 1), len(src.lines))
			indent := len(src.line(n-1)) - len(strings.TrimLeft(src.line(n-1), " \t"))
			at = src.at(n-1, indent, len(src.line(n-1)))
			text = text[:m[0]] + text[m[1]:]
		}
	}
	var positioned cueerrors.Error
	if errors.As(err, &positioned) {
		text = strings.TrimPrefix(text, ": ")
	}
	l.report(findingf(idSyntax, at, "%s: %s", src.display, clip(strings.Trim(text, ": "))))
}

func yamlKind(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode {
		return "a list"
	}
	return "a single value"
}

func exprKind(x ast.Expr) string {
	if _, ok := x.(*ast.ListLit); ok {
		return "a list"
	}
	return "a single value"
}

// removeField drops the fields of a name at the top level, also inside embedded
// struct literals, and returns whether there were any.
func removeField(file *ast.File, name string) bool {
	n := len(file.Decls)
	var inner bool
	file.Decls, inner = withoutField(file.Decls, name)
	return inner || len(file.Decls) != n
}

func withoutField(decls []ast.Decl, name string) ([]ast.Decl, bool) {
	kept := make([]ast.Decl, 0, len(decls))
	removed := false
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.Field:
			if n, ok := fieldName(d.Label); ok && n == name {
				removed = true
				continue
			}
		case *ast.EmbedDecl:
			if lit, ok := d.Expr.(*ast.StructLit); ok {
				var inner bool
				lit.Elts, inner = withoutField(lit.Elts, name)
				removed = removed || inner
			}
		}
		kept = append(kept, d)
	}
	return kept, removed
}
