package chartfacts

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/generators/helm"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/syntax"
)

// runs are the kinds of hooks that do something; others are what these need.
var runs = []string{"Job", "Pod"}

// write makes the CUE file: the other version's, with what the chart itself says
// instead, and with what nobody has looked at named; added are the hooks that the other
// version has not.
func (f *Facts) write(chart *helm.Chart, other *ast.File, added []chartindex.Hook, known map[string]particulars) error {
	// Parsed anew: it is changed here.
	text, err := format.Node(other)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(other.Filename, text, parser.ParseComments)
	if err != nil {
		return err
	}
	f.Taken, f.Unread = []Taken{}, []string{}
	out := &ast.File{}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.Package:
			ast.SetComments(decl, []*ast.CommentGroup{header(f)})
			out.Decls = append(out.Decls, decl)
		case *ast.ImportDecl:
			out.Decls = append(out.Decls, decl)
		case *ast.Field:
			chain, inner := chainOf(decl)
			if len(chain) < 2 || chain[len(chain)-1] != f.Like || inner == nil {
				continue
			}
			relabel(decl, f.Like, f.Version)
			if chain[0] == chartsField {
				f.chart(chart, inner, jobs(added))
			} else {
				f.particular(chart, chain[0], inner, known[chain[0]])
			}
			out.Decls = append(out.Decls, decl)
		}
	}
	slices.Sort(f.Unread)
	f.addUnread(out)
	formatted, err := format.Node(out, format.Simplify())
	if err != nil {
		return fmt.Errorf("the facts of %s %s: %w", f.Component, f.Like, err)
	}
	f.CUE = formatted
	return nil
}

func header(f *Facts) *ast.CommentGroup {
	lines := []string{
		fmt.Sprintf("// gpugen chart add wrote this: %s %s, like %s. What unread names was taken over", f.Is.Name, f.Is.Version, f.Like),
		"// from there. Read it in the chart and its release notes, mend it here, then take it",
		"// out of unread, and like with the last of it.",
	}
	group := &ast.CommentGroup{Doc: true}
	for _, line := range lines {
		group.List = append(group.List, &ast.Comment{Text: line})
	}
	return group
}

// relabel changes the innermost label of a chain that is the version.
func relabel(field *ast.Field, was, is string) {
	for {
		if name, ok := syntax.FieldName(field.Label); ok && name == was {
			field.Label = ast.NewString(is)
			return
		}
		inner, ok := field.Value.(*ast.StructLit)
		if !ok || len(inner.Elts) == 0 {
			return
		}
		next, ok := inner.Elts[0].(*ast.Field)
		if !ok {
			return
		}
		field = next
	}
}

// chart changes what is said of the chart itself.
func (f *Facts) chart(chart *helm.Chart, facts *ast.StructLit, jobs []chartindex.Hook) {
	var kept []ast.Decl
	hooks := false
	for _, decl := range facts.Elts {
		switch name := syntax.LabelOf(decl); name {
		case "lifecycle", "kubernetes":
			// Days and tests of another release. Without them nothing is judged by them.
			f.Unread = append(f.Unread, name)
			continue
		case "sources", "like", "unread":
			continue
		case "name":
			decl.(*ast.Field).Value = ast.NewString(chart.Index.Chart.Name)
		case "hooks":
			hooks = true
			f.hooks(chart, decl.(*ast.Field), jobs)
		case "ignoreDifferences":
			f.Unread = append(f.Unread, name)
		}
		kept = append(kept, decl)
	}
	if !hooks && len(jobs) > 0 {
		field := &ast.Field{Label: ast.NewIdent("hooks"), Value: ast.NewList()}
		f.hooks(chart, field, jobs)
		kept = append(kept, field)
	}
	var sources []string
	for _, source := range chart.Index.Chart.Sources {
		sources = append(sources, source+" (named by the chart itself)")
	}
	sources = append(sources, fmt.Sprintf("chart %s %s, by gpugen chart add", f.Is.Name, f.Is.Version))
	facts.Elts = append(kept, &ast.Field{Label: ast.NewIdent("sources"), Value: lines(sources)})
}

// jobs are the hooks that run something.
func jobs(hooks []chartindex.Hook) []chartindex.Hook {
	var out []chartindex.Hook
	for _, h := range hooks {
		if slices.Contains(runs, h.Kind) {
			out = append(out, h)
		}
	}
	return out
}

// hooks keeps those that the chart still has and adds jobs that are new, of which
// nobody has said what becomes of them.
func (f *Facts) hooks(chart *helm.Chart, field *ast.Field, jobs []chartindex.Hook) {
	list, ok := field.Value.(*ast.ListLit)
	if !ok {
		return
	}
	var kept []ast.Expr
	for _, e := range list.Elts {
		s, _ := e.(*ast.StructLit)
		objects, _ := textOf(s, "object")
		types, _ := textOf(s, "type")
		if hasHook(chart.Index, objects, types) {
			kept = append(kept, e)
		}
	}
	for _, h := range jobs {
		object := h.Kind + "/" + h.Name
		kept = append(kept, ast.NewStruct("object", ast.NewString(object), "type", ast.NewString(strings.Join(h.Events, ","))))
		f.Unread = append(f.Unread, "hook "+object)
	}
	field.Value = ast.NewList(kept...)
}

func hasHook(x *chartindex.Index, objects, events string) bool {
	for object := range strings.SplitSeq(objects, ", ") {
		for event := range strings.SplitSeq(events, ",") {
			if x.HasHook(object, event) {
				return true
			}
		}
	}
	return false
}

// particular changes the facts that only this component has: those that are defaults
// of the chart come from it.
func (f *Facts) particular(chart *helm.Chart, field string, facts *ast.StructLit, known particulars) {
	for _, decl := range facts.Elts {
		name := syntax.LabelOf(decl)
		is, ok := known.defaults[name].in(chart)
		lit, isLiteral := literalOf(decl)
		if !ok || !isLiteral {
			continue
		}
		was, _ := literal.Unquote(lit.Value)
		if was != is {
			f.Taken = append(f.Taken, Taken{field + "." + name, was, is})
		}
		decl.(*ast.Field).Value = ast.NewString(is)
		ast.SetComments(decl, nil)
	}
	// Those that are not written have the default that is none of this version's.
	for _, name := range known.names {
		if _, ok := known.defaults[name].in(chart); !ok {
			f.Unread = append(f.Unread, field+"."+name)
		}
	}
}

func literalOf(decl ast.Decl) (*ast.BasicLit, bool) {
	field, ok := decl.(*ast.Field)
	if !ok {
		return nil, false
	}
	lit, ok := field.Value.(*ast.BasicLit)
	return lit, ok
}

// lines is a list with a line for each item.
func lines(items []string) *ast.ListLit {
	out := ast.NewList()
	for _, item := range items {
		text := ast.NewString(item)
		ast.SetRelPos(text, token.Newline)
		out.Elts = append(out.Elts, text)
	}
	out.Rbrack = token.Newline.Pos()
	return out
}

// addUnread says in the facts what nobody has looked at.
func (f *Facts) addUnread(file *ast.File) {
	for _, decl := range file.Decls {
		chain, inner := chainOf(decl)
		if len(chain) != 3 || chain[0] != chartsField {
			continue
		}
		inner.Elts = append([]ast.Decl{
			&ast.Field{Label: ast.NewIdent("like"), Value: ast.NewString(f.Like)},
			&ast.Field{Label: ast.NewIdent("unread"), Value: lines(f.Unread)},
		}, inner.Elts...)
	}
}

// chartDefault is a value of the chart whose default a fact is, or a part of it.
type chartDefault struct {
	path []string
	part *regexp.Regexp
}

// in returns the fact by a chart.
func (d chartDefault) in(chart *helm.Chart) (string, bool) {
	if d.path == nil {
		return "", false
	}
	value, ok := chart.Default(d.path)
	text, isText := value.(string)
	if !ok || !isText || text == "" {
		return "", false
	}
	if d.part == nil {
		return text, true
	}
	part := d.part.FindString(text)
	return part, part != ""
}

// particulars are the facts that a field of package charts has for each version, and
// those of them that are defaults of the chart.
type particulars struct {
	names    []string
	defaults map[string]chartDefault
}

// particularsOf reads them off the definitions, such as driver!: string
// @chart(driver.version), or @chart(image.tag,"^[0-9.]+") for a part of the default.
func particularsOf(files []*ast.File) (map[string]particulars, error) {
	out := map[string]particulars{}
	for _, file := range files {
		for _, decl := range file.Decls {
			field := syntax.LabelOf(decl)
			definition, ok := perVersion(decl)
			if !ok || field == chartsField {
				continue
			}
			p := particulars{defaults: map[string]chartDefault{}}
			for _, decl := range definition.Elts {
				f, ok := decl.(*ast.Field)
				name := syntax.LabelOf(decl)
				if !ok || name == "" {
					continue
				}
				p.names = append(p.names, name)
				for _, a := range f.Attrs {
					d, ok, err := parseDefault(a.Text)
					if err != nil {
						return nil, fmt.Errorf("%s.%s: %w", field, name, err)
					}
					if ok {
						p.defaults[name] = d
					}
				}
			}
			out[field] = p
		}
	}
	return out, nil
}

// perVersion is the struct of a field that is written as [Version=string]: {...}.
func perVersion(decl ast.Decl) (*ast.StructLit, bool) {
	field, ok := decl.(*ast.Field)
	if !ok {
		return nil, false
	}
	versions, ok := field.Value.(*ast.StructLit)
	if !ok || len(versions.Elts) != 1 {
		return nil, false
	}
	each, ok := versions.Elts[0].(*ast.Field)
	if !ok {
		return nil, false
	}
	if _, pattern := each.Label.(*ast.ListLit); !pattern {
		return nil, false
	}
	out, ok := each.Value.(*ast.StructLit)
	return out, ok
}

func parseDefault(attribute string) (d chartDefault, ok bool, err error) {
	body, ok := strings.CutPrefix(attribute, "@chart(")
	if !ok {
		return d, false, nil
	}
	at, pattern, parted := strings.Cut(strings.TrimSuffix(body, ")"), ",")
	d.path = strings.Split(at, ".")
	if !parted {
		return d, true, nil
	}
	text, err := literal.Unquote(pattern)
	if err != nil {
		return d, false, err
	}
	d.part, err = regexp.Compile(text)
	return d, true, err
}
