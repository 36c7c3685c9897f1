// Package knowledge owns what gpugen knows: the embedded CUE, compiled once and
// evaluated with a spec. It must not read files, judge what a user wrote, or hold a
// fact about GPUs in Go.
package knowledge

import (
	"encoding/json"
	"fmt"
	"path"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	cuejson "cuelang.org/go/encoding/json"

	"github.com/gpugen/gpugen/schema/watchdog"
)

// Module is the path of the CUE module, and of the Go module.
const Module = "github.com/gpugen/gpugen"

// CUE packages of the knowledge base.
const (
	SpecPackage  = Module + "/schema/spec"
	FactsPackage = Module + "/schema/facts"
	RulesPackage = Module + "/schema/rules"
	rulePackage  = Module + "/schema/rule"
	chartPackage = Module + "/schema/facts/charts"
)

// Engine is the knowledge base compiled in one CUE context. CUE contexts are not
// safe for concurrent use; one engine serves one goroutine at a time.
type Engine struct {
	Ctx *cue.Context
	// Spec is #Spec.
	Spec cue.Value
	// Base is what was compiled.
	Base *Base
	// Limits of the evaluation of what a user wrote; tests make them small.
	Limits watchdog.Limits
	// AsOf is the day by which rules about time go; "" leaves it to the knowledge.
	AsOf string

	// packages that were asked for, by path.
	packages map[string]cue.Value
}

// New compiles the embedded knowledge base.
//
// An error is a defect of gpugen, never of the user's input.
func New() (*Engine, error) {
	base := preparedOnce()
	if base == nil {
		var err error
		if base, err = parsedOnce(); err != nil {
			return nil, err
		}
	}
	return base.Compile()
}

// Compile compiles the knowledge base in a context of its own.
//
// An error is a defect of gpugen.
func (b *Base) Compile() (*Engine, error) {
	e := &Engine{Ctx: cuecontext.New(), Base: b, packages: map[string]cue.Value{}}
	spec := e.pkg(SpecPackage)
	if err := spec.Err(); err != nil {
		return nil, fmt.Errorf("knowledge base %s: %w", SpecPackage, err)
	}
	e.Spec = spec.LookupPath(cue.ParsePath("#Spec"))
	return e, nil
}

// Facts is package schema/facts, Charts is package schema/facts/charts, and Rules is
// package schema/rules without a spec. Each is evaluated as a whole when first asked
// for; a spec that is in order needs a few values of them only, and asks for none.
func (e *Engine) Facts() cue.Value  { return e.pkg(FactsPackage) }
func (e *Engine) Charts() cue.Value { return e.pkg(chartPackage) }
func (e *Engine) Rules() cue.Value  { return e.pkg(RulesPackage) }

func (e *Engine) pkg(path string) cue.Value {
	v, ok := e.packages[path]
	if !ok {
		inst := e.Base.Packages[path]
		if path == RulesPackage {
			inst = e.Base.rulesFor(nil)
		}
		v = e.Ctx.BuildInstance(inst)
		e.packages[path] = v
	}
	return v
}

// Fill evaluates the knowledge base with a spec, complete with defaults, the
// user's lists, and the objects that patches change, if any. The data go in as one
// more file of the package: filling them into the evaluated package would evaluate all of it twice.
// Rules that certainly find nothing in the spec need not be there.
//
// An error is a defect of gpugen.
func (e *Engine) Fill(spec map[string]any, lists any, patched Patched) (cue.Value, error) {
	data := map[string]any{"input": spec, "userLists": lists}
	if e.AsOf != "" {
		data["asOf"] = e.AsOf
	}
	if len(patched) > 0 {
		data["patched"] = patched
	}
	if e.Base.more.Said != nil {
		data["site"] = e.Base.more.Said
	}
	with, err := dataFile(RulesPackage, data)
	if err != nil {
		return cue.Value{}, err
	}
	inst := e.Base.rulesFor(spec)
	inst.Files = append(inst.Files, with)
	return e.Ctx.BuildInstance(inst), nil
}

// Patched are the tree's objects that patches change, by component and key, as the
// patches leave them.
type Patched map[string]map[string]PatchedObject

// PatchedObject is one of them.
type PatchedObject struct {
	Object map[string]any `json:"object"`
	// At is the patch in the spec.
	At []any `json:"at"`
}

// dataFile is a file of a package that says what fields of it are.
func dataFile(pkg string, fields map[string]any) (*ast.File, error) {
	data, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	expr, err := cuejson.Extract("", data)
	if err != nil {
		return nil, err
	}
	return &ast.File{Decls: []ast.Decl{
		&ast.Package{Name: ast.NewIdent(path.Base(pkg))},
		&ast.EmbedDecl{Expr: expr},
	}}, nil
}
