package shape

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/syntax"
)

func schemaForTest(t testing.TB) *Schema {
	t.Helper()
	e, err := knowledge.New()
	if err != nil {
		t.Fatal(err)
	}
	return New(e)
}

// everyStruct visits each struct of the schema, with a sample key for each
// pattern.
func everyStruct(s *shape, path []any, visit func(path []any, s *shape)) {
	switch {
	case s.isStruct():
		visit(path, s)
		for _, name := range slices.Sorted(maps.Keys(s.set().byName)) {
			everyStruct(s.set().byName[name], source.Join(path, name), visit)
		}
		if c := s.anyChild(); c != nil {
			everyStruct(c, source.Join(path, "a"), visit)
		}
	case s.isList():
		everyStruct(s.element(), source.Join(path, 0), visit)
	}
}

// typosOf are mistakes of one letter: one left out, put in, replaced or swapped
// with its neighbour.
func typosOf(name string) []string {
	var out []string
	for i := range len(name) {
		out = append(out, name[:i]+name[i+1:])
		for _, letter := range []string{"a", "x", name[i : i+1]} {
			out = append(out, name[:i]+letter+name[i:], name[:i]+letter+name[i+1:])
		}
		if i+1 < len(name) {
			out = append(out, name[:i]+name[i+1:i+2]+name[i:i+1]+name[i+2:])
		}
	}
	out = append(out, name+"s", name+"x", strings.ToUpper(name[:1])+name[1:])
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(t string) bool { return t == name || t == "" })
}

func TestEveryTypoOfOneLetterOffersTheField(t *testing.T) {
	schema := schemaForTest(t)
	value := schema.engine.Ctx.Encode(1)
	fields, typos := 0, 0
	everyStruct(schema.top, nil, func(path []any, s *shape) {
		for name := range s.set().byName {
			if !sample.Draws(source.PathString(source.Join(path, name)), 10) {
				continue
			}
			fields++
			for _, typo := range typosOf(name) {
				if c := s.child(typo); c != nil && (c != s.set().pattern || len(s.set().oneOf) == 0) {
					// The name of another field, or one that a pattern allows.
					continue
				}
				typos++
				w := &walker{schema: schema, spec: &source.Spec{}, Input: Input{Lenient: true}}
				w.fields(path, []child{{typo, value}}, s)
				if len(w.found) != 1 || w.found[0].Path != source.PathString(source.Join(path, typo)) {
					t.Errorf("%s: found %+v", source.PathString(source.Join(path, typo)), w.found)
					continue
				}
				f := w.found[0]
				if !strings.Contains(f.Message+f.Fix, syntax.Quote(name)) {
					t.Errorf("%s does not offer %q: %s", source.PathString(source.Join(path, typo)), name, f.Message)
				}
			}
		}
	})
	t.Logf("%d fields, %d typos", fields, typos)
	if fields < sample.Times(200, 10) || typos < sample.Times(10000, 500) {
		t.Errorf("only %d fields and %d typos were tried", fields, typos)
	}
}

func TestEveryFieldOfTheSchemaIsDocumentedAndCanBeFilled(t *testing.T) {
	schema := schemaForTest(t)
	everyStruct(schema.top, nil, func(path []any, s *shape) {
		for name, f := range s.set().byName {
			at := source.PathString(source.Join(path, name))
			if f.doc == "" {
				t.Errorf("%s has no comment", at)
			}
			if f.required && !f.isStruct() && f.example == nil {
				t.Errorf("%s is required and has no @example", at)
			}
			if !f.isStruct() && !f.isList() && f.kind != cue.TopKind && f.scalar().want == "" && len(f.scalar().enum) == 0 {
				t.Errorf("%s does not say what it wants, by error(...)", at)
			}
		}
	})
	w := &walker{schema: schema, spec: &source.Spec{}}
	filled := w.fill(schema.top)
	if v := schema.engine.Spec.Unify(schema.engine.Ctx.Encode(filled)); v.Validate(cue.Concrete(true)) != nil {
		t.Errorf("what stands in for a whole spec is not valid: %v\n%v", v.Validate(cue.Concrete(true)), filled)
	}
}
