package source

import (
	"encoding/json"

	"cuelang.org/go/cue/ast"

	"github.com/gpugen/gpugen/schema/diag"
)

// looksLikeJSON tells JSON on standard input from YAML, which cannot hold all of
// it.
func looksLikeJSON(data []byte) bool {
	return len(data) > 0 && (data[0] == '{' || data[0] == '[') && json.Valid(data)
}

// data reads a spec from YAML or JSON.
func (r *reader) data(src *File, isJSON bool) *Text {
	r.files.main = src
	if bad := r.files.use(src); bad != nil {
		r.report(*bad)
		return nil
	}
	spec := &Spec{files: r.files, labels: &labelTree{}}
	var syntax *ast.File
	if isJSON {
		syntax = r.json(src, spec)
	} else {
		syntax = r.yaml(src, spec)
	}
	if syntax == nil {
		return nil
	}
	if rules := spec.labels.fields["rules"]; rules != nil {
		r.report(rulesOutsideOfCUE.At(rules.labels[0].Position(), "", "rules: site rules are written in CUE"))
		removeField(syntax, "rules")
	}
	return &Text{Spec: spec, Syntax: syntax}
}

func (r *reader) duplicates(spec *Spec) {
	for _, d := range spec.duplicates {
		f := duplicateKey.At(d.next, "", "%s is written twice", FieldText(d.path))
		f.Path = PathString(d.path)
		f.Also = []diag.Place{{Position: d.first, Path: f.Path, Note: "the first one"}}
		r.report(f)
	}
}
