package knowledge

import (
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/syntax"
)

// templatesPackage has the reasons beside the values.
const templatesPackage = Module + "/templates"

// Reason is why a value follows from the spec: an entry of because in package
// templates.
type Reason struct {
	Why string `json:"why"`
	// From are fields of the spec, labels joined by dots, with * for any.
	From []string `json:"from"`
	// Rule is an ID, or one for each boolean that a user may force.
	Rule any `json:"rule"`
}

// RuleFor is the rule that forbids what a user wrote, or "".
func (r Reason) RuleFor(value any) string {
	switch rule := r.Rule.(type) {
	case string:
		return rule
	case map[string]any:
		// What is null is as good as false to a chart.
		forced := "false"
		if value == true {
			forced = "true"
		}
		id, _ := rule[forced].(string)
		return id
	}
	return ""
}

// Reasons are those of all values of one cluster.
type Reasons struct{ because cue.Value }

// Reasons evaluates the templates once more, for a spec and lists as in Fill, with the
// reasons that are cut out of them otherwise: nobody but a user whose value
// contradicts the spec pays for them.
//
// An error is a defect of gpugen.
func (e *Engine) Reasons(spec any, lists any) (Reasons, error) {
	data, err := dataFile(templatesPackage, map[string]any{"input": spec, "userLists": lists})
	if err != nil {
		return Reasons{}, err
	}
	because, err := becauseFiles(slices.Concat(Sources(), e.Base.more.Files))
	if err != nil {
		return Reasons{}, err
	}
	inst := *e.Base.Packages[templatesPackage]
	// The rules import the templates without reasons by that path.
	inst.ImportPath += "/because"
	inst.Files = append(append(slices.Clone(inst.Files), data), because...)
	v := e.Ctx.BuildInstance(&inst).LookupPath(cue.ParsePath("because"))
	return Reasons{v}, v.Err()
}

// Of is the reason of a component's value, or of the nearest value above it.
func (r Reasons) Of(component string, value []string) (Reason, bool) {
	for n := len(value); n > 0; n-- {
		v := r.because.LookupPath(cue.MakePath(cue.Str(component), cue.Str(strings.Join(value[:n], "."))))
		var out Reason
		if v.Exists() && v.Decode(&out) == nil {
			return out, true
		}
	}
	return Reason{}, false
}

// All are the reasons by component and value.
//
// An error is a defect of gpugen.
func (r Reasons) All() (map[string]map[string]Reason, error) {
	var out map[string]map[string]Reason
	err := r.because.Decode(&out)
	return out, err
}

func isBecause(decl ast.Decl) bool { return syntax.LabelOf(decl) == "because" }

// becauseFiles are the files of package templates with nothing in them but reasons,
// and what these import. They are parsed anew, since compiling writes to the syntax.
func becauseFiles(sources []Source) ([]*ast.File, error) {
	var out []*ast.File
	for _, src := range sources {
		if path.Dir(src.Path) != path.Base(templatesPackage) {
			continue
		}
		f, err := parser.ParseFile(src.Path, src.Data)
		if err != nil {
			return nil, err
		}
		text := "package " + f.PackageName() + "\n"
		for _, decl := range f.Decls {
			if _, isImport := decl.(*ast.ImportDecl); isImport || isBecause(decl) {
				text += string(src.Data[decl.Pos().Offset():decl.End().Offset()]) + "\n"
			}
		}
		before := syntax.Identifiers(f.Decls)
		if f, err = parser.ParseFile(src.Path, text); err != nil {
			return nil, err
		}
		syntax.DropUnusedImports(f, before)
		out = append(out, f)
	}
	return out, nil
}
