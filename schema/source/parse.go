package source

import (
	"errors"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/diag"
)

// errReported stands for what the loader has made a finding of already.
var errReported = errors.New("gpugen: reported")

// parse parses a file once and cuts out what is not the spec's: site rules, and
// gpugen's own schema, which the walk applies. A file with syntax errors comes
// down to its package clause; its errors are reported if the file is part of the
// spec.
func (p *Package) parse(src *File) *ast.File {
	p.files.mu.Lock()
	f := p.files.syntax[src.path]
	p.files.mu.Unlock()
	if f != nil {
		return f
	}
	var err error
	bad := cueFault(src)
	if bad == nil {
		f, err = parser.ParseFile(src.path, src.Data, parser.ParseComments)
	}
	if err != nil || bad != nil {
		p.files.mu.Lock()
		defer p.files.mu.Unlock()
		if bad != nil {
			p.unbounded[src.path] = *bad
		}
		p.faults[src.path] = err
		f, err = parser.ParseFile(src.path, src.Data, parser.PackageClauseOnly)
		if err != nil {
			f = &ast.File{Filename: src.path}
		}
		p.files.syntax[src.path] = f
		return f
	}
	if p.spec[src.path] && !p.whole {
		p.cutRules(src, f)
	}
	stripped := !p.whole && !p.keepSchema && cutSchema(f, p.own.SpecPackage)
	p.files.mu.Lock()
	defer p.files.mu.Unlock()
	p.stripped = p.stripped || stripped
	p.files.syntax[src.path] = f
	return f
}

// reportFaults reports the syntax errors of a file that is part of the spec.
func (p *Package) reportFaults(src *File) {
	if bad, ok := p.unbounded[src.path]; ok {
		p.report(bad)
	}
	for _, e := range cueerrors.Errors(p.faults[src.path]) {
		at := src.Start()
		if e.Position().IsValid() {
			at = src.Position(e.Position().Offset(), e.Position().Offset()+1)
		}
		p.report(malformed.At(at, "", "%s", diag.OneLine(Message(e))))
	}
}

// parseFile is what cue/load reads each file by; also those of other packages in
// the directory, which are no part of the spec.
func (p *Package) parseFile(name string, data any, cfg parser.Config) (*ast.File, error) {
	if _, ok := p.over[name]; ok && p.files.known(name) == nil {
		return parser.ParseFile(name, data, cfg)
	}
	src, bad := p.files.read(name)
	if bad != nil {
		p.files.mu.Lock()
		defer p.files.mu.Unlock()
		p.refused[name] = *bad
		return nil, errReported
	}
	return p.parse(src), nil
}
