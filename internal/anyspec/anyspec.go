// Package anyspec draws random specs. What may be written where follows from the
// schema itself, so that a new field is reached without a line of test; what makes
// sense there, from specs that are known to be good. Nothing but tests may import it.
package anyspec

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"pgregory.net/rapid"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
)

// Source draws specs, for one goroutine at a time.
type Source struct {
	// Series of the same seed draw different specs.
	Series int
	// Rendered, where a test sets it, tells what the spec that the judge saw last
	// renders: random specs then bring patches of that, and objects beside it.
	Rendered func() Rendered

	engine *knowledge.Engine
	top    *place
	// names that some map of the schema takes, from @key.
	names []string
	good  []map[string]any
	// said is what good specs say, by places that are alike.
	said map[string][]any
	// versions that the facts know, by path.
	versions map[string][]any
	// indexes of charts, by component.
	indexes map[string]*chartindex.Index
	// aims are all that a spec can say; kinds of them, in the order of the schema.
	aims   []aim
	kinds  []string
	aimsOf map[string][]aim
	// leave tells fields that are not to be said.
	leave []func(field string) bool
}

// New makes a source. Good specs are what random ones start from, and what they
// take parts of, but those that say a field to leave.
func New(good []map[string]any, leave ...func(field string) bool) (*Source, error) {
	e, err := knowledge.New()
	if err != nil {
		return nil, err
	}
	s := &Source{engine: e, leave: leave, said: map[string][]any{}, aimsOf: map[string][]aim{}, indexes: map[string]*chartindex.Index{}, names: []string{"a", "cpu"}}
	if s.versions, err = versions(e); err != nil {
		return nil, err
	}
	s.top = &place{source: s, v: e.Spec}
	for _, f := range e.Base.Packages[knowledge.SpecPackage].Files {
		ast.Walk(f, func(n ast.Node) bool {
			if a, ok := n.(*ast.Attribute); ok {
				if key, body := a.Split(); key == "key" {
					s.names = append(s.names, strings.Trim(body, `"`))
				}
			}
			return true
		}, nil)
	}
	for _, spec := range good {
		spec := plain(spec).(map[string]any)
		if s.leaves(s.top, spec) {
			continue
		}
		s.good = append(s.good, spec)
		s.learn(s.top, spec)
	}
	s.listAims()
	return s, nil
}

// plain is data as JSON has it, but with whole numbers.
func plain(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	return whole(out)
}

func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = whole(value)
		}
	case []any:
		for i, value := range v {
			v[i] = whole(value)
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return v
}

// place is one place of the schema.
type place struct {
	source *Source
	v      cue.Value
	// path has "*" for names that users choose, and for elements.
	path     string
	required bool

	fields  map[string]*place
	pattern *place
	elem    *place
	// refused are values, quoted, that this release refuses.
	refused string
	// set are closed's values, once they were asked for.
	set   []any
	asked bool
}

func (p *place) below(name string, v cue.Value, required bool) *place {
	return &place{source: p.source, v: v, path: strings.TrimPrefix(p.path+"."+name, "."), required: required}
}

// alike is the path of a place, and of those where the same can be said: what every
// component has beside its chart.
func (p *place) alike() string {
	if part := strings.SplitN(p.path, ".", 4); len(part) > 2 && part[0] == "components" && slices.Contains([]string{"argocd", "needs", "objects", "patches"}, part[2]) {
		part[1] = "*"
		return strings.Join(part, ".")
	}
	return p.path
}

func (p *place) is(kind cue.Kind) bool { return p.v.IncompleteKind() == kind }

// known are the fields that the schema names, but those that no release acts on.
func (p *place) known() map[string]*place {
	if p.fields != nil {
		return p.fields
	}
	p.fields = map[string]*place{}
	iter, err := p.v.Fields(cue.All())
	if err != nil {
		return p.fields
	}
	for iter.Next() {
		if sel := iter.Selector(); sel.LabelType() == cue.StringLabel {
			if a := iter.Value().Attribute("notyet"); a.Err() == nil && slices.Contains([]string{"", "present", "true"}, a.Contents()) {
				continue
			}
			if p.leaves(sel.Unquoted()) || p.neverManaged() && !slices.Contains([]string{"state", "version", "namespace"}, sel.Unquoted()) {
				continue
			}
			c := p.below(sel.Unquoted(), iter.Value(), iter.FieldType().ConstraintType() == cue.RequiredConstraint)
			if p.neverManaged() && sel.Unquoted() == "state" {
				c.refused = `"managed"`
			}
			p.fields[sel.Unquoted()] = c
		}
	}
	return p.fields
}

// neverManaged tells a component that this release can only find in a cluster.
func (p *place) neverManaged() bool {
	a := p.v.Attribute("notyet")
	return a.Err() == nil && a.Contents() == `"state=managed"`
}

// leaves tells whether a field is not to be said; name may be "*".
func (p *place) leaves(name string) bool {
	field := p.below(name, cue.Value{}, false).path
	return slices.ContainsFunc(p.source.leave, func(leave func(string) bool) bool { return leave(field) })
}

// leaves tells whether some data says a field that is not to be said.
func (s *Source) leaves(p *place, at any) bool {
	switch v := at.(type) {
	case map[string]any:
		for name, value := range v {
			c := p.child(name)
			if c == nil && !p.free() || c != nil && s.leaves(c, value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return s.leaves(p.element(), e) })
	}
	return false
}

// child is the place under a name; nil if the name is not allowed, or anything is.
func (p *place) child(name string) *place {
	if c := p.known()[name]; c != nil {
		return c
	}
	if p.leaves("*") || p.leaves(name) || p.neverManaged() {
		return nil
	}
	if p.v.Allows(cue.Str(name)) {
		if v := p.v.LookupPath(cue.MakePath(cue.Str(name).Optional())); v.Exists() {
			if p.pattern == nil {
				p.pattern = p.below("*", v, false)
			}
			return p.pattern
		}
	}
	return nil
}

func (p *place) element() *place {
	if p.elem == nil {
		p.elem = p.below("*", p.v.LookupPath(cue.MakePath(cue.AnyIndex)), true)
	}
	return p.elem
}

// free tells a place that takes any data.
func (p *place) free() bool {
	if !p.is(cue.StructKind) {
		return p.is(cue.TopKind)
	}
	if len(p.known()) > 0 {
		return false
	}
	name := p.takesName()
	return name == "" || p.child(name).is(cue.TopKind)
}

// takesName is a name that a map takes; "" if it is none.
func (p *place) takesName() string {
	for _, name := range p.source.names {
		if p.known()[name] == nil && p.child(name) != nil {
			return name
		}
	}
	return ""
}

// learn remembers what a good spec says, and where.
func (s *Source) learn(p *place, value any) {
	s.said[p.alike()] = append(s.said[p.alike()], value)
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if c := p.child(key); c != nil {
				if c == p.pattern && !slices.Contains(s.names, key) {
					s.names = append(s.names, key)
				}
				s.learn(c, v[key])
			}
		}
	case []any:
		for _, e := range v {
			s.learn(p.element(), e)
		}
	}
}

// Good draws one of the good specs.
func (s *Source) Good(t *rapid.T) map[string]any {
	return rapid.SampledFrom(s.good).Draw(t, "begin with")
}

// Gone as the value of a change takes away what is there.
var Gone = any(struct{ gone bool }{true})

// Change is another value at one place of a spec.
type Change struct {
	Path  []any
	Value any
}

// Change draws a change of a spec, to something that the schema takes there.
func (s *Source) Change(t *rapid.T, spec map[string]any) Change { return s.change(t, s.top, spec) }

// change draws a change of what stands at a place.
func (s *Source) change(t *rapid.T, p *place, at any) Change {
	path := []any(nil)
	for {
		switch v := at.(type) {
		case map[string]any:
			if p.free() {
				return Change{path, s.value(t, p)}
			}
			name := rapid.SampledFrom(p.candidates(v)).Draw(t, "field")
			p, path = p.child(name), append(path, name)
			at = v[name]
		case []any:
			i := rapid.IntRange(0, len(v)).Draw(t, "element")
			p, path = p.element(), append(path, i)
			if at = nil; i < len(v) {
				at = v[i]
			}
		default:
			return Change{path, s.value(t, p)}
		}
		switch last := !strings.Contains(p.path, "."); {
		case at == nil:
			return Change{path, s.value(t, p)}
		case !p.required && rapid.IntRange(0, 9).Draw(t, "remove") == 9:
			return Change{path, Gone}
		case !last && rapid.IntRange(0, 9).Draw(t, "replace") == 9:
			return Change{path, s.value(t, p)}
		}
	}
}

// candidates are names to change in a map: known ones, those that it has, new ones.
func (p *place) candidates(has map[string]any) []string {
	out := slices.Collect(maps.Keys(p.known()))
	for name := range has {
		if p.known()[name] == nil && p.child(name) != nil {
			out = append(out, name, name) // what is there is what the rest refers to
		}
	}
	for _, name := range p.source.names {
		if _, ok := has[name]; !ok && p.known()[name] == nil && p.child(name) != nil {
			out = append(out, name)
			if len(out) > 2*len(p.known())+4 {
				break
			}
		}
	}
	slices.Sort(out)
	return out
}

// Apply makes a change in a copy of a spec.
func (c Change) Apply(spec map[string]any) map[string]any {
	return with(spec, c.Path, c.Value).(map[string]any)
}

func with(at any, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	switch key := path[0].(type) {
	case string:
		m, _ := at.(map[string]any)
		out := maps.Clone(m)
		if out == nil {
			out = map[string]any{}
		}
		if out[key] = with(out[key], path[1:], value); out[key] == Gone {
			delete(out, key)
		}
		return out
	case int:
		l, _ := at.([]any)
		out := slices.Clone(l)
		if key >= len(out) {
			out, key = append(out, nil), len(out)
		}
		if out[key] = with(out[key], path[1:], value); out[key] == Gone {
			return slices.Delete(out, key, key+1)
		}
		return out
	}
	panic(fmt.Sprintf("no path: %v", path))
}

// value draws a value for a place: what a good spec says there, or what the schema
// takes.
func (s *Source) value(t *rapid.T, p *place) any {
	said := s.said[p.alike()]
	if len(said) > 0 && rapid.IntRange(0, 2).Draw(t, "as a good spec") == 0 {
		return rapid.SampledFrom(said).Draw(t, p.path)
	}
	switch {
	case p.free():
		return s.anything(t, p)
	case p.is(cue.StructKind):
		return s.structure(t, p)
	case p.is(cue.ListKind):
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			out = append(out, s.value(t, p.element()))
		}
		return out
	}
	if choices := p.choices(); len(choices) > 0 && rapid.IntRange(0, 4).Draw(t, "unknown") > 0 {
		return rapid.SampledFrom(choices).Draw(t, p.path)
	}
	if v, ok := s.scalar(t, p); ok {
		return v
	}
	if len(said) > 0 {
		return rapid.SampledFrom(said).Draw(t, p.path)
	}
	return p.standIn()
}

func (s *Source) structure(t *rapid.T, p *place) any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(p.known())) {
		if c := p.known()[name]; c.required || rapid.IntRange(0, 3).Draw(t, "with "+name) == 0 {
			out[name] = s.value(t, c)
		}
	}
	if p.takesName() != "" {
		names := p.candidates(p.noNames())
		for range rapid.IntRange(0, 2).Draw(t, "names") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			out[name] = s.value(t, p.child(name))
		}
	}
	return out
}

func (p *place) noNames() map[string]any { return map[string]any{} }

// standIn is the default or example of a scalar.
func (p *place) standIn() any {
	if d, ok := p.v.Default(); ok {
		return decoded(d)
	}
	if a := p.v.Attribute("example"); a.Err() == nil {
		if x, err := parser.ParseExpr("example", a.Contents()); err == nil {
			return decoded(p.source.engine.Ctx.BuildExpr(x))
		}
	}
	return "a"
}

func decoded(v cue.Value) any {
	var out any
	if err := v.Decode(&out); err != nil {
		return nil
	}
	return plain(out)
}

// scalar draws from the schema alone; false if it took none.
func (s *Source) scalar(t *rapid.T, p *place) (any, bool) {
	v, ok := s.of(t, p.v.Eval())
	if !ok || p.v.Unify(s.engine.Ctx.Encode(v)).Err() != nil {
		return nil, false
	}
	text, _ := v.(string)
	return v, diag.Hidden(text) == "" && diag.Secret(text) == ""
}

// of draws a value of a constraint.
func (s *Source) of(t *rapid.T, v cue.Value) (any, bool) {
	op, args := v.Expr()
	switch op {
	case cue.OrOp:
		args = slices.DeleteFunc(args, func(a cue.Value) bool { return a.IncompleteKind() == cue.BottomKind })
		if len(args) == 0 {
			return nil, false
		}
		return s.of(t, rapid.SampledFrom(args).Draw(t, "alternative"))
	case cue.AndOp:
		// A form says most; of the rest, what does not fit is dropped afterwards.
		i := slices.IndexFunc(args, func(a cue.Value) bool { op, _ := a.Expr(); return op == cue.RegexMatchOp })
		if i < 0 && v.IncompleteKind() == cue.IntKind {
			return s.number(t, v)
		}
		return s.of(t, args[max(i, 0)])
	case cue.RegexMatchOp:
		pattern, err := args[0].String()
		if err != nil {
			return nil, false
		}
		return rapid.StringMatching(pattern).Draw(t, "text"), true
	}
	if v.IsConcrete() {
		return decoded(v), true
	}
	switch v.IncompleteKind() {
	case cue.BoolKind:
		return rapid.Bool().Draw(t, "truth"), true
	case cue.IntKind:
		return s.number(t, v)
	case cue.StringKind:
		return rapid.StringMatching("[ -~]{1,20}|[a-zäöß一]{1,5}").Draw(t, "text"), true
	}
	return nil, false
}

// number draws a whole number that a constraint takes.
func (s *Source) number(t *rapid.T, v cue.Value) (any, bool) {
	var fit []int64
	for _, n := range []int64{0, 1, 2, 3, 4, 7, 8, 10, 16, 32, 63, 100, 300, 1000, 86400, 1000000, 1000000000, -1, -5, -1000000000} {
		if v.Unify(s.engine.Ctx.Encode(n)).Err() == nil {
			fit = append(fit, n)
		}
	}
	if len(fit) == 0 {
		return nil, false
	}
	return rapid.SampledFrom(fit).Draw(t, "number"), true
}

// Said adds what a spec says to a count: each field, and each value of a closed set.
func (s *Source) Said(spec map[string]any, count map[string]int) {
	s.visit(s.top, spec, func(p *place, value any) {
		count[p.path]++
		if p.closed() != nil {
			count[p.path+"="+fmt.Sprint(value)]++
		}
	})
}

// All lists the fields, and the values of closed sets, as Said counts them.
func (s *Source) All() []string {
	var out []string
	for _, a := range s.aims {
		out = append(out, a.String())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// visit calls back for each value that is no map of known fields and no list.
func (s *Source) visit(p *place, value any, each func(p *place, value any)) {
	switch v := value.(type) {
	case map[string]any:
		if p.free() {
			each(p, v)
			return
		}
		for name, value := range v {
			if c := p.child(name); c != nil {
				s.visit(c, value, each)
			}
		}
	case []any:
		if !p.is(cue.ListKind) {
			each(p, v)
			return
		}
		for _, e := range v {
			s.visit(p.element(), e, each)
		}
	default:
		each(p, v)
	}
}

// choices are the names and versions that the facts know for a field that takes any
// text as far as CUE evaluates it.
func (p *place) choices() []any {
	out := slices.Clone(p.source.versions[p.path])
	if a := p.v.Attribute("names"); a.Err() == nil {
		for i := range a.NumArgs() {
			said, _ := a.String(i)
			names := p.source.engine.Base.NamesIn(said)
			if len(names) == 0 {
				names = []string{said}
			}
			for _, name := range names {
				out = append(out, name)
			}
		}
	}
	return out
}

// closed are the values of a closed set, but those that this release refuses, or what
// the facts know; nil if it is neither.
func (p *place) closed() []any {
	if !p.asked {
		p.set, p.asked = p.closedSet(), true
	}
	return p.set
}

func (p *place) closedSet() []any {
	if choices := p.choices(); len(choices) > 0 {
		return choices
	}
	op, args := p.v.Eval().Expr()
	if op != cue.OrOp {
		if p.is(cue.BoolKind) {
			return []any{true, false}
		}
		return nil
	}
	refused := p.refused
	if a := p.v.Attribute("notyet"); a.Err() == nil {
		refused = a.Contents()
	}
	var out []any
	for _, a := range args {
		switch {
		case a.IncompleteKind() == cue.BottomKind:
		case a.IsConcrete():
			if v := decoded(a); !slices.Contains(out, v) && !strings.Contains(refused, fmt.Sprintf("%q", v)) {
				out = append(out, v)
			}
		case a.IncompleteKind() == cue.BoolKind:
			return []any{true, false}
		default:
			return nil
		}
	}
	return out
}
