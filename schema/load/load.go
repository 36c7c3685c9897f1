// Package load owns the way from a user's files to a spec that is whole: it reads
// them, evaluates them under a watchdog, and has them compared with the schema. It
// must not know what a field means.
package load

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/shape"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// Load reads a spec and compares it with the schema. All that is wrong is returned
// at once. The spec is nil only where nothing could be evaluated; otherwise it is
// whole enough to be resolved and checked.
//
// After a finding SPEC-014 or SPEC-018 the engine must not be used again.
func Load(e *knowledge.Engine, schema *shape.Schema, in source.Input) (*source.Spec, diag.List) {
	l := &loader{engine: e, schema: schema, files: source.NewFiles(in.Path), apart: in.Apart}
	spec := l.recovered(in)
	if l.found.HasErrors() && slices.ContainsFunc(l.found, shape.Lacks) {
		if f, ok := source.Base(in.Path); ok {
			return nil, diag.List{f}
		}
	}
	return spec, l.found.Sorted()
}

// loader is the state of one load.
type loader struct {
	engine *knowledge.Engine
	schema *shape.Schema
	files  *source.Files
	found  diag.List
	// apart judges the spec in another process, until it has.
	apart func(at diag.Position) (diag.List, bool)
}

// recovered runs the load; a parser that panics is a finding, too.
func (l *loader) recovered(in source.Input) (spec *source.Spec) {
	defer func() {
		if r := recover(); r != nil {
			f := watchdog.Failed("the spec", fmt.Sprint("panic: ", r))
			f.Position = l.files.Start()
			l.found.Add(f)
			spec = nil
		}
	}()
	return l.run(in)
}

func (l *loader) run(in source.Input) *source.Spec {
	text, found := source.Read(in, l.files, own(l.engine.Base.Packages))
	l.found = append(l.found, found...)
	switch {
	case text == nil:
		return nil
	case text.Package != nil:
		spec, found := l.fromPackage(text.Package)
		l.found = append(l.found, found...)
		return spec
	}
	found, ok := l.compare(text.Spec, shape.Input{}, func() cue.Value { return l.engine.Ctx.BuildFile(text.Syntax) })
	l.found = append(l.found, found...)
	if !ok {
		return nil
	}
	return text.Spec
}

// Digest tells an input from any other, and evaluates nothing; false where that cannot
// be told.
func Digest(in source.Input) (seen *source.Seen, known bool) {
	// A parser that panics is a finding of Load.
	defer func() {
		if recover() != nil {
			seen, known = nil, false
		}
	}()
	packages := map[string]*build.Instance{}
	for _, path := range knowledge.PackagePaths() {
		packages[path] = &build.Instance{ImportPath: path}
	}
	return source.Digest(in, own(packages))
}

// own is what a spec may import of gpugen's.
func own(packages map[string]*build.Instance) source.Own {
	return source.Own{
		Module:      knowledge.Module,
		SpecPackage: knowledge.SpecPackage,
		Packages:    packages,
		Text: func() map[string][]byte {
			out := map[string][]byte{}
			for _, s := range knowledge.Sources() {
				out[s.Path] = s.Data
			}
			return out
		},
	}
}

// compare has the evaluated value compared with the schema, under the watchdog, and
// returns what was found. It is false if the evaluation does not end.
func (l *loader) compare(spec *source.Spec, in shape.Input, build func() cue.Value) (diag.List, bool) {
	var found diag.List
	failed, tripped := watchdog.Run(l.engine.Limits, "the spec", func() {
		found = l.schema.Compare(spec, build(), in)
	})
	if tripped {
		failed.Position = l.files.Start()
		return diag.List{failed}, false
	}
	return found, true
}
