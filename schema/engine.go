// Package schema owns the one CUE instance in which a spec is judged: it loads
// what a user wrote, resolves it into components and checks it by the rules. It
// must not write files, render manifests, or hold a fact about GPUs in Go.
package schema

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	cuejson "cuelang.org/go/encoding/json"

	"github.com/gpugen/gpugen/templates"
)

// Module is the path of the CUE module, and of the Go module.
const Module = "github.com/gpugen/gpugen"

// CUE packages of the knowledge base.
const (
	specPackage  = Module + "/schema/spec"
	factsPackage = Module + "/schema/facts"
	rulesPackage = Module + "/schema/rules"
	chartPackage = Module + "/schema/facts/charts"
)

// engine is the knowledge base compiled in one CUE context. CUE contexts are
// not safe for concurrent use; one engine serves one goroutine at a time.
type engine struct {
	ctx *cue.Context
	// spec is #Spec.
	spec cue.Value
	// facts is package schema/facts.
	facts cue.Value
	// charts is package schema/facts/charts.
	charts cue.Value
	// rules is package schema/rules, once catalogue has been asked for.
	rules cue.Value

	knowledge
}

// newEngine compiles the embedded knowledge base.
//
// An error is a defect of gpugen, never of the user's input.
func newEngine() (*engine, error) {
	base, err := parsed()
	if err != nil {
		return nil, err
	}
	instances := base.instances
	ctx := cuecontext.New()
	e := &engine{ctx: ctx, knowledge: knowledge{instances: instances, explanations: base.explanations}}
	for _, part := range []struct {
		pkg  string
		into *cue.Value
	}{
		{factsPackage, &e.facts},
		{chartPackage, &e.charts},
		{specPackage, &e.spec},
	} {
		v := ctx.BuildInstance(instances[part.pkg])
		if err := v.Err(); err != nil {
			return nil, fmt.Errorf("knowledge base %s: %w", part.pkg, err)
		}
		*part.into = v
	}
	e.spec = e.spec.LookupPath(cue.ParsePath("#Spec"))
	return e, nil
}

// catalogue is package schema/rules without a spec: for what does not depend on
// one. It is compiled when first asked for.
func (e *engine) catalogue() cue.Value {
	if !e.rules.Exists() {
		e.rules = e.ctx.BuildInstance(e.instances[rulesPackage])
	}
	return e.rules
}

// fill evaluates the knowledge base with a spec, complete with defaults, and the
// user's lists. The data go in as one more file of the package: filling them
// into the evaluated package would evaluate all of it twice.
//
// An error is a defect of gpugen.
func (e *engine) fill(spec any, lists any) (cue.Value, error) {
	data, err := json.Marshal(map[string]any{"input": spec, "userLists": lists})
	if err != nil {
		return cue.Value{}, err
	}
	expr, err := cuejson.Extract("", data)
	if err != nil {
		return cue.Value{}, err
	}
	with := &ast.File{Decls: []ast.Decl{
		&ast.Package{Name: ast.NewIdent(path.Base(rulesPackage))},
		&ast.EmbedDecl{Expr: expr},
	}}
	// A copy with one more file: the others are resolved already, and resolving
	// them again would write to what other engines read.
	inst := *e.instances[rulesPackage]
	inst.Files = append(slices.Clone(inst.Files), with)
	return e.ctx.BuildInstance(&inst), nil
}

// parsed parses the embedded CUE once; instances are shared by contexts.
var parsed = sync.OnceValues(func() (*embedded, error) {
	l := newEmbedded()
	for _, pkg := range []string{factsPackage, chartPackage, specPackage, rulePackage, rulesPackage} {
		if inst := l.load(token.NoPos, pkg); inst != nil && inst.Err != nil {
			return nil, inst.Err
		}
	}
	return l, nil
})

func newEmbedded() *embedded {
	l := &embedded{instances: map[string]*build.Instance{}, explanations: map[string]explanation{}}
	l.ctx = build.NewContext(build.Loader(l.load))
	return l
}

// embedded loads packages of the knowledge base from the binary; cue/load wants
// a file system with a module root, which costs more and is not needed.
type embedded struct {
	ctx          *build.Context
	instances    map[string]*build.Instance
	explanations map[string]explanation
}

func (l *embedded) load(_ token.Pos, importPath string) *build.Instance {
	dir, ok := strings.CutPrefix(importPath, Module+"/")
	if !ok {
		// A builtin package such as "strings".
		return nil
	}
	if inst := l.instances[importPath]; inst != nil {
		return inst
	}
	inst := l.ctx.NewInstance(dir, l.load)
	inst.ImportPath = importPath
	inst.PkgName = path.Base(dir)
	l.instances[importPath] = inst
	var syntax []*ast.File
	for _, f := range Sources() {
		if path.Dir(f.Path) != dir {
			continue
		}
		var options []parser.Option
		if importPath == specPackage {
			// Findings quote what the comments say.
			options = append(options, parser.ParseComments)
		}
		parsed, err := parser.ParseFile(f.Path, f.Data, options...)
		if err != nil {
			inst.ReportError(asCUEError(err))
			return inst
		}
		if importPath == rulesPackage {
			cutExplanations(parsed, l.explanations)
		}
		syntax = append(syntax, parsed)
	}
	cutForReaders(syntax)
	for _, parsed := range syntax {
		if err := inst.AddSyntax(parsed); err != nil {
			return inst
		}
	}
	if err := inst.Complete(); err != nil && inst.Err == nil {
		inst.Err = asCUEError(err)
	}
	return inst
}

// Source is one file of the embedded knowledge base.
type Source struct {
	// Path is relative to the module root, such as "schema/spec/pools.cue".
	Path string
	Data []byte
}

// Sources returns the CUE files of the knowledge base, sorted by path.
var Sources = sync.OnceValue(func() []Source {
	var out []Source
	for _, tree := range []struct {
		prefix string
		fsys   fs.FS
	}{{"schema", files}, {"templates", templates.Files}} {
		err := fs.WalkDir(tree.fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) != ".cue" {
				return err
			}
			data, err := fs.ReadFile(tree.fsys, name)
			if err != nil {
				return err
			}
			out = append(out, Source{Path: path.Join(tree.prefix, name), Data: data})
			return nil
		})
		if err != nil {
			panic("embedded files cannot be read: " + err.Error())
		}
	}
	slices.SortFunc(out, func(a, b Source) int { return strings.Compare(a.Path, b.Path) })
	return out
})
