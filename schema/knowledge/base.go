package knowledge

import (
	"path"
	"strings"
	"sync"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// Base is the embedded knowledge base, parsed. It loads packages from the binary;
// cue/load wants a file system with a module root, which costs more and is not
// needed.
type Base struct {
	// Packages by import path. What a user imports is taken from here, so that it
	// is compiled once.
	Packages map[string]*build.Instance

	ctx          *build.Context
	explanations map[string]Explanation
}

// parsedOnce is what engines have in common: instances can be shared by contexts.
var parsedOnce = sync.OnceValues(Parse)

// Parse parses the embedded CUE.
//
// An error is a defect of gpugen.
func Parse() (*Base, error) {
	b := &Base{Packages: map[string]*build.Instance{}, explanations: map[string]Explanation{}}
	b.ctx = build.NewContext(build.Loader(b.load))
	for _, pkg := range []string{FactsPackage, chartPackage, SpecPackage, rulePackage, RulesPackage} {
		if inst := b.load(token.NoPos, pkg); inst != nil && inst.Err != nil {
			return nil, inst.Err
		}
	}
	return b, nil
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
	var files []*ast.File
	for _, f := range Sources() {
		if path.Dir(f.Path) != dir {
			continue
		}
		var options []parser.Option
		if importPath == SpecPackage {
			// Findings quote what the comments say.
			options = append(options, parser.ParseComments)
		}
		parsed, err := parser.ParseFile(f.Path, f.Data, options...)
		if err != nil {
			inst.ReportError(errors.Promote(err, ""))
			return inst
		}
		if importPath == RulesPackage {
			cutExplanations(parsed, b.explanations)
		}
		if importPath == templatesPackage {
			cutReasons(parsed)
		}
		files = append(files, parsed)
	}
	cutForReaders(files)
	for _, parsed := range files {
		if err := inst.AddSyntax(parsed); err != nil {
			return inst
		}
	}
	if err := inst.Complete(); err != nil && inst.Err == nil {
		inst.Err = errors.Promote(err, "")
	}
	return inst
}
