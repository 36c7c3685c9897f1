package load

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/shape"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// fromPackage makes a spec of a CUE package.
func (l *loader) fromPackage(p *source.Package) (*source.Spec, diag.List) {
	spec, found, undefined := l.build(p, false)
	if spec != nil && p.Stripped() && undefined {
		// The spec may refer to defaults of gpugen's schema that it embeds.
		if other, better, _ := l.build(p.WithSchema(), true); other != nil && len(better) < len(found) {
			return other, better
		}
	}
	return spec, found
}

// build evaluates a package and compares it with the schema. Expressions that do not
// compile are reported and cut out, so that they do not hide what else is wrong.
// undefined says that the rest has values which could not be computed.
func (l *loader) build(p *source.Package, withSchema bool) (spec *source.Spec, found diag.List, undefined bool) {
	for range 50 {
		inst, refused := p.Instance()
		if refused.HasErrors() {
			return nil, append(found, refused...), false
		}
		if all, ok := l.elsewhere(); ok {
			// They hold what was found in reading as well.
			l.found = nil
			return nil, all, false
		}
		failed, tripped := watchdog.Run(l.engine.Limits, "the spec", func() { l.engine.Ctx.BuildInstance(inst) })
		if tripped {
			failed.Position = l.files.Start()
			return nil, append(found, failed), false
		}
		if inst.Err == nil {
			spec := p.Spec()
			in := shape.Input{Lenient: len(found) > 0, Expressions: true, WithSchema: withSchema}
			more, ok := l.compare(spec, in, func() cue.Value { return l.engine.Ctx.BuildInstance(inst) })
			found = append(found, more...)
			if !ok {
				return nil, found, false
			}
			undefined := slices.ContainsFunc(more, func(f diag.Finding) bool { return f.ID == shape.NotComputed.ID || f.ID == shape.ClosedOut.ID })
			return spec, found, undefined
		}
		cut := false
		for _, err := range errors.Errors(inst.Err) {
			found.Add(compileError(l.files, err))
			cut = p.Cut(err) || cut
		}
		if !cut {
			return nil, found, false
		}
	}
	return nil, found, false
}

// elsewhere has another process judge a spec that may end this one; false if this one may.
func (l *loader) elsewhere() (diag.List, bool) {
	apart := l.apart
	if apart == nil {
		return nil, false
	}
	l.apart = nil
	at, parses := l.files.ParsesTexts()
	if !parses {
		return nil, false
	}
	return apart(at)
}
