package schema

import (
	"errors"

	"cuelang.org/go/cue/ast"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
)

// errReported stands for what the loader has made a finding of already.
var errReported = errors.New("gpugen: reported")

// parse parses a file once and cuts out what is not the spec's: site rules, and
// gpugen's own schema, which the walk applies. A file with syntax errors comes
// down to its package clause; its errors are reported if the file is part of the
// spec.
func (c *cueLoad) parse(src *source) *ast.File {
	c.sources.mu.Lock()
	f := c.sources.syntax[src.path]
	c.sources.mu.Unlock()
	if f != nil {
		return f
	}
	f, err := parser.ParseFile(src.path, src.data, parser.ParseComments)
	if err != nil {
		c.sources.mu.Lock()
		defer c.sources.mu.Unlock()
		c.faults[src.path] = err
		f, err = parser.ParseFile(src.path, src.data, parser.PackageClauseOnly)
		if err != nil {
			f = &ast.File{Filename: src.path}
		}
		c.sources.syntax[src.path] = f
		return f
	}
	if c.spec[src.path] && !c.whole {
		c.cutRules(src, f)
	}
	stripped := !c.whole && !c.keepSchema && cutSchema(f)
	c.sources.mu.Lock()
	defer c.sources.mu.Unlock()
	c.stripped = c.stripped || stripped
	c.sources.syntax[src.path] = f
	return f
}

// reportFaults reports the syntax errors of a file that is part of the spec.
func (c *cueLoad) reportFaults(src *source) {
	for _, e := range cueerrors.Errors(c.faults[src.path]) {
		at := src.start()
		if e.Position().IsValid() {
			at = src.position(e.Position().Offset(), e.Position().Offset()+1)
		}
		c.report(findingf(idSyntax, at, "%s", clip(messageOf(e))))
	}
}

// parseFile is what cue/load reads each file by; also those of other packages in
// the directory, which are no part of the spec.
func (c *cueLoad) parseFile(name string, data any, cfg parser.Config) (*ast.File, error) {
	if _, ok := c.over[name]; ok && c.sources.known(name) == nil {
		return parser.ParseFile(name, data, cfg)
	}
	src, bad := c.sources.read(name)
	if bad != nil {
		c.sources.mu.Lock()
		defer c.sources.mu.Unlock()
		c.refused[name] = *bad
		return nil, errReported
	}
	return c.parse(src), nil
}
