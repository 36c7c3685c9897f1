package source

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	cueyaml "cuelang.org/go/encoding/yaml"
	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/syntax"
)

// yaml parses a spec in YAML.
func (r *reader) yaml(src *File, spec *Spec) *ast.File {
	if at := oddLineBreak.FindIndex(src.Data); at != nil {
		r.report(malformed.At(src.Position(at[0], at[0]+1), "", "%s holds a line break that is neither LF nor CRLF; in a string, write it as \\r, \\N, \\L or \\P", src.Name))
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(src.Data))
	var doc, next yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		r.report(emptySpec.At(src.Start(), "", "%s is empty", src.Name))
		return nil
	case err != nil:
		r.yamlFault(src, err)
		return nil
	}
	switch err := decoder.Decode(&next); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.yamlFault(src, err)
		return nil
	default:
		at := src.offset(max(next.Line, 1), next.Column)
		r.report(severalDocuments.At(src.Position(at, at+1), "", "%s holds more than one document", src.Name))
		return nil
	}
	top := &doc
	for top.Kind == yaml.DocumentNode && len(top.Content) > 0 {
		top = top.Content[0]
	}
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		r.report(emptySpec.At(src.Start(), "", "%s is empty", src.Name))
		return nil
	}
	if top.Kind != yaml.MappingNode {
		at := src.offset(top.Line, top.Column)
		r.report(notAMapping.At(src.Position(at, at+1), "", "%s holds %s at the top level, not fields", src.Name, yamlKind(top)))
		return nil
	}
	if at, fault := AliasFault(&doc); fault != "" {
		r.report(*unboundedAt(src, src.offset(at.Line, at.Column), fault))
		return nil
	}
	file, err := cueyaml.Extract(src.Name, src.Data)
	if err != nil {
		r.yamlFault(src, err)
		return nil
	}
	keysAsWritten(src, file)
	spec.duplicates = spec.labels.addYAML(src, &doc)
	r.duplicates(spec)
	return file
}

// keysAsWritten gives keys such as 0755 their names back: CUE's reader takes them for
// octal numbers, and calls them 0o755.
func keysAsWritten(src *File, file *ast.File) {
	ast.Walk(file, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok {
			return true
		}
		name, _ := syntax.FieldName(field.Label)
		digits, octal := strings.CutPrefix(name, "0o")
		if at := field.Label.Pos().Offset(); octal && bytes.HasPrefix(src.Data[min(at, len(src.Data)):], []byte("0"+digits)) {
			label := ast.NewStringLabel("0" + digits)
			ast.SetPos(label, field.Label.Pos())
			field.Label = label
		}
		return true
	}, nil)
}

// oddLineBreak is what YAML 1.1 counts as the end of a line and nobody else does:
// positions would be wrong.
var oddLineBreak = regexp.MustCompile("\r(?:[^\n]|$)|[\u0085\u2028\u2029]")

var yamlLine = regexp.MustCompile(`(?:line |:)([0-9]+):?\s*`)

// yamlFault reports a syntax error; YAML's parser says the line in its text.
func (r *reader) yamlFault(src *File, err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.ReplaceAll(strings.TrimPrefix(text, "unmarshal errors:"), src.Name, "")
	at := src.Start()
	if m := yamlLine.FindStringSubmatchIndex(text); m != nil {
		if n, err := strconv.Atoi(text[m[2]:m[3]]); err == nil {
			n = min(max(n, 1), len(src.lines))
			indent := len(src.line(n-1)) - len(strings.TrimLeft(src.line(n-1), " \t"))
			at = src.onLine(n-1, indent, len(src.line(n-1)))
			text = text[:m[0]] + text[m[1]:]
		}
	}
	var positioned cueerrors.Error
	if errors.As(err, &positioned) {
		text = strings.TrimPrefix(text, ": ")
	}
	r.report(malformed.At(at, "", "%s: %s", src.Name, diag.OneLine(strings.Trim(text, ": "))))
}

func yamlKind(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode {
		return "a list"
	}
	return "a single value"
}
