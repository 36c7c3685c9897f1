package knowledge

import (
	"path"
	"slices"
	"strings"
	"sync"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/guard"
	"github.com/gpugen/gpugen/schema/syntax"
)

// Base is the embedded knowledge base, parsed. It loads packages from the binary;
// cue/load wants a file system with a module root, which costs more and is not
// needed.
type Base struct {
	// Packages by import path. What a user imports is taken from here, so that it
	// is compiled once.
	Packages map[string]*build.Instance

	ctx *build.Context
	// syntax returns the files of a directory, what only people read cut out.
	syntax func(dir string) ([]*ast.File, error)
	// explanations of the rules, by ID.
	explanations func() map[string]Explanation
	// more is what a site adds.
	more More

	// waiting are the rules that are not in Packages until a spec needs them, and guards
	// tell which it does.
	waiting []waitingRule
	guards  *guard.Guards
}

// waitingRule is the file of a rule that is read when it is needed.
type waitingRule struct {
	file string
	read func() (*ast.File, error)
}

// rulesFor is package rules with the files that a spec needs, of those that wait; with
// all of them for a spec that is nil.
func (b *Base) rulesFor(spec map[string]any) *build.Instance {
	// A copy: the other files are resolved already, and resolving them again would write
	// to what other engines read.
	inst := *b.Packages[RulesPackage]
	inst.Files = slices.Clone(inst.Files)
	for _, rule := range b.waiting {
		if spec != nil && b.guards.Silent(rule.file, spec) {
			continue
		}
		f, err := rule.read()
		if err != nil {
			inst.ReportError(errors.Promote(err, ""))
			continue
		}
		inst.Files = append(inst.Files, f)
	}
	return &inst
}

// parsedOnce is what engines have in common: instances can be shared by contexts.
var parsedOnce = sync.OnceValues(Parse)

// Parse parses the embedded CUE.
//
// An error is a defect of gpugen.
func Parse() (*Base, error) {
	b := parsed()
	return b, b.loadAll()
}

// parsed is a base from the sources; nothing is loaded yet.
func parsed() *Base {
	found := map[string]Explanation{}
	b := newBase()
	b.syntax = func(dir string) ([]*ast.File, error) { return parse(dir, found) }
	b.explanations = func() map[string]Explanation { return found }
	return b
}

func newBase() *Base {
	b := &Base{Packages: map[string]*build.Instance{}}
	b.ctx = build.NewContext(build.Loader(b.load))
	return b
}

func (b *Base) loadAll() error {
	for _, pkg := range []string{FactsPackage, chartPackage, SpecPackage, rulePackage, RulesPackage} {
		if inst := b.load(token.NoPos, pkg); inst != nil && inst.Err != nil {
			return inst.Err
		}
	}
	return nil
}

func (b *Base) load(_ token.Pos, importPath string) *build.Instance {
	dir, ok := strings.CutPrefix(importPath, Module+"/")
	if !ok {
		// A builtin package such as "strings".
		return nil
	}
	if inst := b.Packages[importPath]; inst != nil {
		return inst
	}
	inst := b.ctx.NewInstance(dir, b.load)
	inst.ImportPath = importPath
	inst.PkgName = path.Base(dir)
	b.Packages[importPath] = inst
	files, err := b.syntax(dir)
	if err == nil {
		files, err = b.withMore(dir, files)
	}
	if err != nil {
		inst.ReportError(errors.Promote(err, ""))
		return inst
	}
	// The files are resolved as AddSyntax would.
	inst.Files = files
	if err := inst.Complete(); err != nil && inst.Err == nil {
		inst.Err = errors.Promote(err, "")
	}
	return inst
}

// NamesIn are the names in a map of package facts, such as gpus. They are read off the
// syntax: a list of all of them is dear to evaluate, and every spec asks.
func (b *Base) NamesIn(fact string) []string {
	var out []string
	for _, f := range b.Packages[FactsPackage].Files {
		for _, decl := range f.Decls {
			field, ok := decl.(*ast.Field)
			if !ok || syntax.LabelOf(field) != fact {
				continue
			}
			lit, ok := field.Value.(*ast.StructLit)
			if !ok {
				continue
			}
			for _, entry := range lit.Elts {
				if entry, ok := entry.(*ast.Field); ok {
					if name, ok := syntax.FieldName(entry.Label); ok {
						out = append(out, name)
					}
				}
			}
		}
	}
	return out
}

// parse returns the files of a directory, each resolved by itself.
func parse(dir string, explanations map[string]Explanation) ([]*ast.File, error) {
	var files []*ast.File
	for _, f := range Sources() {
		if path.Dir(f.Path) != dir {
			continue
		}
		parsed, err := parseFile(f.Path, f, explanations)
		if err != nil {
			return nil, err
		}
		files = append(files, parsed)
	}
	cutForReaders(files)
	return files, resolve(files)
}

// parseFile parses a file of the knowledge base under a name, without what only people
// read of rules, and the reasons of values.
func parseFile(name string, f Source, explanations map[string]Explanation) (*ast.File, error) {
	pkg := Module + "/" + path.Dir(f.Path)
	var options []parser.Option
	if pkg == SpecPackage {
		// Findings quote what the comments say.
		options = append(options, parser.ParseComments)
	}
	parsed, err := parser.ParseFile(name, f.Data, options...)
	if err != nil {
		return nil, err
	}
	if pkg == RulesPackage {
		cutExplanations(parsed, explanations)
	}
	if pkg == templatesPackage {
		// Reasons are for those who have a conflict.
		before := syntax.Identifiers(parsed.Decls)
		n := len(parsed.Decls)
		if parsed.Decls = slices.DeleteFunc(parsed.Decls, isBecause); len(parsed.Decls) < n {
			syntax.DropUnusedImports(parsed, before)
		}
	}
	return parsed, nil
}

// resolve resolves each file by itself.
func resolve(files []*ast.File) error {
	var errs errors.Error
	for _, f := range files {
		// What the parser resolved may have been cut since.
		f.Unresolved = nil
		ast.Walk(f, func(n ast.Node) bool {
			if ident, ok := n.(*ast.Ident); ok {
				ident.Node, ident.Scope = nil, nil
			}
			return true
		}, nil)
		astutil.Resolve(f, func(at token.Pos, message string, args ...any) {
			errs = errors.Append(errs, errors.Newf(at, message, args...))
		})
		f.Unresolved = useOfEachImport(f)
	}
	if errs != nil {
		return errs
	}
	return nil
}

// useOfEachImport is one identifier for each import of a file. CUE walks a whole file for an import of which it
// finds none among those to be resolved; what is a field of another file it finds as well when it compiles.
func useOfEachImport(f *ast.File) []*ast.Ident {
	var uses []*ast.Ident
	wanted := map[ast.Node]bool{}
	for spec := range f.ImportSpecs() {
		wanted[spec] = true
	}
	ast.Walk(f, func(n ast.Node) bool {
		if ident, ok := n.(*ast.Ident); ok && wanted[ident.Node] {
			delete(wanted, ident.Node)
			uses = append(uses, ident)
		}
		return true
	}, nil)
	return uses
}
