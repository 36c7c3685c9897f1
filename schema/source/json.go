package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"cuelang.org/go/cue/ast"
	cuejson "cuelang.org/go/encoding/json"

	"github.com/gpugen/gpugen/schema/diag"
)

// json parses a spec in JSON.
func (r *reader) json(src *File, spec *Spec) *ast.File {
	data := bytes.TrimPrefix(src.Data, []byte("\uFEFF"))
	if len(bytes.TrimSpace(data)) == 0 {
		r.report(emptySpec.At(src.Start(), "", "%s is empty", src.Name))
		return nil
	}
	if at, err := jsonFault(data); err != nil {
		at += len(src.Data) - len(data)
		r.report(malformed.At(src.Position(at, at+1), "", "%s: %s", src.Name, diag.OneLine(strings.TrimPrefix(err.Error(), "json: "))))
		return nil
	}
	if bad := jsonFaultOfDepth(src); bad != nil {
		r.report(*bad)
		return nil
	}
	expr, err := cuejson.Extract(src.Name, src.Data)
	if err != nil {
		r.report(malformed.At(src.Start(), "", "%s: %s", src.Name, diag.OneLine(err.Error())))
		return nil
	}
	lit, ok := expr.(*ast.StructLit)
	if !ok {
		r.report(notAMapping.At(src.Start(), "", "%s holds %s at the top level, not fields", src.Name, exprKind(expr)))
		return nil
	}
	spec.labels.addCUE(src, lit.Elts, nil)
	spec.duplicates = jsonDuplicates(spec.labels, nil)
	r.duplicates(spec)
	return &ast.File{Filename: src.Name, Decls: lit.Elts}
}

// jsonFault returns where JSON is not well-formed.
func jsonFault(data []byte) (int, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // of any size
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

func jsonDuplicates(x *labelTree, path []any) []duplicate {
	var out []duplicate
	for name, f := range x.fields {
		at := Join(path, name)
		for _, p := range f.labels[1:] {
			out = append(out, duplicate{at, f.labels[0].Position(), p.Position()})
		}
		out = append(out, jsonDuplicates(f, at)...)
	}
	for i, item := range x.items {
		out = append(out, jsonDuplicates(item, Join(path, i))...)
	}
	return out
}

func exprKind(x ast.Expr) string {
	if _, ok := x.(*ast.ListLit); ok {
		return "a list"
	}
	return "a single value"
}
