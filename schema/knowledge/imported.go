package knowledge

import (
	"encoding/json"
	"io/fs"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/imported"
)

// ImportedPackage knows which fields of a spec say what people have already.
const ImportedPackage = Module + "/schema/imported"

// ToImport is what was read: see input in package schema/imported.
type ToImport struct {
	Name     string              `json:"name"`
	Objects  []any               `json:"objects"`
	Values   map[string]any      `json:"values"`
	Releases []Release           `json:"releases"`
	Carried  map[string][]string `json:"carried"`
}

// Release is a release of Helm, as helm list shows it.
type Release struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Chart is its name and version, joined by a hyphen.
	Chart string `json:"chart"`
}

// Imported is what a spec says of it: see package schema/imported.
type Imported struct {
	Spec   map[string]any               `json:"spec"`
	Values map[string]map[string]any    `json:"values"`
	Fields map[string]map[string]string `json:"fields"`
	Took   []struct{ From, Field string }
	Left   []struct{ What, Why string }
	Todo   []struct {
		Field []string
		What  string
	}
}

// Import evaluates package schema/imported with what was read.
//
// An error means that an object is not of the form that Kubernetes gives it.
func Import(in ToImport) (*Imported, error) {
	base, err := parsedOnce()
	if err != nil {
		return nil, err
	}
	inst := base.ctx.NewInstance("schema/imported", base.load)
	inst.ImportPath, inst.PkgName = ImportedPackage, "imported"
	names, err := fs.Glob(imported.Files, "*.cue")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := fs.ReadFile(imported.Files, name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile("schema/imported/"+name, data)
		if err != nil {
			return nil, err
		}
		if err := inst.AddSyntax(f); err != nil {
			return nil, err
		}
	}
	data, err := dataFile(ImportedPackage, map[string]any{"input": in})
	if err != nil {
		return nil, err
	}
	if err := inst.AddSyntax(data); err != nil {
		return nil, err
	}
	if err := inst.Complete(); err != nil {
		return nil, err
	}
	v := cuecontext.New().BuildInstance(inst)
	out := &Imported{}
	for field, into := range map[string]any{"spec": &out.Spec, "values": &out.Values, "fields": &out.Fields, "took": &out.Took, "left": &out.Left, "todo": &out.Todo} {
		part := v.LookupPath(cue.ParsePath(field))
		text, err := part.MarshalJSON()
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return nil, err
		}
	}
	return out, nil
}
