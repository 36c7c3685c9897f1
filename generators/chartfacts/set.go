package chartfacts

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/syntax"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// touched are those of some changes to values at or below which the templates set
// something: what has a reason, and what they set for the examples. Others that some spec
// brings about are found when that spec is vetted. Examples are evaluated only as long as
// they may touch another one.
func touched(ctx context.Context, changes []chartindex.ValueChange, component, version string, site Site) ([]chartindex.ValueChange, error) {
	paths := map[string]chartindex.Path{}
	if err := fromReasons(component, site, paths); err != nil {
		return nil, err
	}
	left := func() bool {
		return slices.ContainsFunc(changes, func(c chartindex.ValueChange) bool { return !touches(paths, c) })
	}
	if err := fromExamples(ctx, component, version, site, paths, left); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(changes, func(c chartindex.ValueChange) bool { return !touches(paths, c) }), nil
}

// touches tells whether one of some paths is at or below a change.
func touches(paths map[string]chartindex.Path, c chartindex.ValueChange) bool {
	for _, p := range paths {
		if p.Below(c.Path) {
			return true
		}
	}
	return false
}

// fromExamples evaluates each example with that version of the chart, until nothing is
// left to look for. Those that the version does not suit tell nothing.
func fromExamples(ctx context.Context, component, version string, site Site, paths map[string]chartindex.Path, left func() bool) error {
	if !left() {
		return nil
	}
	dir, err := os.MkdirTemp("", "gpugen-chart-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := site.write(dir); err != nil {
		return err
	}
	specs, err := fs.Glob(examples.Files, "*/cluster.cue")
	if err != nil {
		return err
	}
	for _, name := range specs {
		if !left() {
			break
		}
		data, err := fs.ReadFile(examples.Files, name)
		if err != nil {
			return err
		}
		place := filepath.Join(dir, path.Dir(name))
		asked := fmt.Sprintf("package cluster\n\ncomponents: %q: version: %q\n", component, version)
		for file, text := range map[string]string{"cluster.cue": string(data), "version.cue": asked} {
			if err := os.MkdirAll(place, 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(place, file), []byte(text), 0o600); err != nil {
				return err
			}
		}
		var cluster *schema.Cluster
		if !watchdog.Until(ctx, func() { cluster, _ = schema.Evaluate(schema.Input{Path: place}) }) {
			return ctx.Err()
		}
		if cluster == nil {
			continue
		}
		p, err := plan.New(cluster)
		if err != nil {
			continue
		}
		for _, c := range p.Components {
			if c.Of == component {
				leaves(nil, c.Values, paths)
			}
		}
	}
	return nil
}

// write makes a directory a module with the site's knowledge.
func (s Site) write(dir string) error {
	if len(s.Files) == 0 {
		return nil
	}
	files := map[string][]byte{"cue.mod/module.cue": []byte("module: \"site.example.com\"\nlanguage: version: \"v0.17.0\"\n")}
	for place, data := range s.Files {
		files[path.Join(source.SiteDir, place)] = data
	}
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func leaves(at chartindex.Path, value any, paths map[string]chartindex.Path) {
	table, ok := value.(map[string]any)
	if !ok || len(table) == 0 {
		if len(at) > 0 {
			paths[at.Pointer()] = at
		}
		return
	}
	for key, child := range table {
		leaves(append(slices.Clone(at), key), child, paths)
	}
}

// fromReasons reads the labels of the templates' reasons: a component, then values
// with their keys joined by dots. Those that the spec decides have none that is
// constant.
func fromReasons(component string, site Site, paths map[string]chartindex.Path) error {
	sources := slices.Clone(schema.Sources())
	for _, place := range slices.Sorted(maps.Keys(site.Files)) {
		sources = append(sources, schema.Source{Path: place, Data: site.Files[place]})
	}
	for _, src := range sources {
		if path.Dir(src.Path) != "templates" {
			continue
		}
		f, err := parser.ParseFile(src.Path, src.Data)
		if err != nil {
			return err
		}
		ast.Walk(f, func(n ast.Node) bool {
			decl, ok := n.(ast.Decl)
			if !ok || syntax.LabelOf(decl) != "because" {
				return true
			}
			of, ok := decl.(*ast.Field).Value.(*ast.StructLit)
			if !ok {
				return false
			}
			for _, decl := range of.Elts {
				if syntax.LabelOf(decl) != component {
					continue
				}
				values, ok := decl.(*ast.Field).Value.(*ast.StructLit)
				if !ok {
					continue
				}
				for _, decl := range values.Elts {
					if label := syntax.LabelOf(decl); label != "" {
						at := chartindex.Path(strings.Split(label, "."))
						paths[at.Pointer()] = at
					}
				}
			}
			return false
		}, nil)
	}
	return nil
}
