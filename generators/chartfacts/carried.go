package chartfacts

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/syntax"
)

// chartsDir holds the facts of chart versions.
const chartsDir = "schema/facts/charts"

// Site is what a site knows besides gpugen, as files in the form of gpugen's own.
type Site struct {
	// Files by their places, such as schema/facts/charts/x-1.2.3.cue.
	Files map[string][]byte
}

// carried are the chart versions that gpugen or the site carries, as their files say.
type carried struct {
	files []*ast.File
	site  Site
	// charts are the names of the charts, by component and version.
	charts map[string]map[string]string
}

func carriedVersions(site Site) (*carried, error) {
	out := &carried{site: site, charts: map[string]map[string]string{}}
	sources := slices.Clone(schema.Sources())
	for _, place := range slices.Sorted(maps.Keys(site.Files)) {
		sources = append(sources, schema.Source{Path: place, Data: site.Files[place]})
	}
	for _, src := range sources {
		if path.Dir(src.Path) != chartsDir || path.Ext(src.Path) != ".cue" {
			continue
		}
		f, err := parser.ParseFile(src.Path, src.Data, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		out.files = append(out.files, f)
		for _, decl := range f.Decls {
			chain, inner := chainOf(decl)
			if len(chain) != 3 || chain[0] != chartsField {
				continue
			}
			name, _ := textOf(inner, "name")
			if out.charts[chain[1]] == nil {
				out.charts[chain[1]] = map[string]string{}
			}
			out.charts[chain[1]][chain[2]] = name
		}
	}
	return out, nil
}

// chartsField holds #Chart by component and version.
const chartsField = "charts"

// of returns the component whose chart has this name, and its versions.
func (c *carried) of(chart string) (component string, versions []string) {
	for _, component := range slices.Sorted(maps.Keys(c.charts)) {
		for _, name := range c.charts[component] {
			if name == chart {
				return component, slices.Sorted(maps.Keys(c.charts[component]))
			}
		}
	}
	return "", nil
}

// names are those of all charts.
func (c *carried) names() []string {
	var out []string
	for _, versions := range c.charts {
		out = append(out, slices.Collect(maps.Values(versions))...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// facts returns the name of a version's chart, and the file that its facts stand in.
func (c *carried) facts(component, version string) (chart string, file *ast.File, err error) {
	chart = c.charts[component][version]
	for _, f := range c.files {
		for _, decl := range f.Decls {
			if chain, _ := chainOf(decl); slices.Equal(chain, []string{chartsField, component, version}) {
				return chart, f, nil
			}
		}
	}
	return "", nil, fmt.Errorf("no facts of %s %s", component, version)
}

// chainOf returns the labels of a field that is written as a chain, a: b: c: {...},
// and the innermost struct: of charts, component and version; of other fields, field
// and version. Of any other field, it returns its label alone.
func chainOf(decl ast.Decl) ([]string, *ast.StructLit) {
	var chain []string
	for {
		field, ok := decl.(*ast.Field)
		if !ok {
			return chain, nil
		}
		name, ok := syntax.FieldName(field.Label)
		if !ok {
			return chain, nil
		}
		chain = append(chain, name)
		inner, ok := field.Value.(*ast.StructLit)
		if !ok {
			return chain, nil
		}
		most := 2
		if chain[0] == chartsField {
			most = 3
		}
		if len(chain) == most || len(inner.Elts) != 1 {
			return chain, inner
		}
		decl = inner.Elts[0]
	}
}

// textOf is the constant text of a field of a struct.
func textOf(s *ast.StructLit, name string) (string, bool) {
	if s == nil {
		return "", false
	}
	for _, decl := range s.Elts {
		if syntax.LabelOf(decl) != name {
			continue
		}
		lit, ok := decl.(*ast.Field).Value.(*ast.BasicLit)
		if !ok {
			return "", false
		}
		text, err := literal.Unquote(lit.Value)
		return text, err == nil
	}
	return "", false
}

// index is that of a carried version, and whether it is the site's.
func (c *carried) index(chart, version string) (*chartindex.Index, bool, error) {
	if data, ok := c.site.Files[path.Join(chartsDir, chart+"-"+version+".json")]; ok {
		index, err := chartindex.Parse(data)
		if err != nil {
			return nil, true, fmt.Errorf("the site's index of %s %s: %w", chart, version, err)
		}
		return index, true, nil
	}
	index, err := schema.ChartIndex(chart, version)
	return index, false, err
}
