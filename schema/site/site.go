// Package site owns what a site knows besides gpugen: it reads that knowledge, judges
// it by itself, and makes one knowledge base of it and gpugen's own. It must not judge a
// spec, or hold a fact in Go.
package site

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/syntax"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// Knowledge is what a site adds.
type Knowledge struct {
	// Hash of all files, whatever their order and where they lie.
	Hash string
	// Entries are what they add or say, by place.
	Entries []Entry
	// More is what the site adds, and Base gpugen's knowledge with it.
	More knowledge.More
	Base *knowledge.Base
}

// Entry is one thing that a file of a site says.
type Entry = knowledge.SiteEntry

// Read reads and judges the knowledge of the site that an input belongs to; nil where
// there is none, and where findings forbid to go on. It evaluates what the site wrote,
// under a watchdog.
func Read(in source.Input, limits watchdog.Limits) (*Knowledge, diag.List) {
	files, found := source.ReadSite(in)
	// A folder without any knowledge says nothing.
	if files == nil || len(files.Files) == 0 || found.HasErrors() {
		return nil, found
	}
	if at, parses := files.ParsesTexts(); parses && in.Apart != nil {
		if all, ok := in.Apart(at); ok {
			return nil, all
		}
	}
	j := &judge{files: files, limits: limits, more: knowledge.More{Names: map[string]string{}, Indexes: map[string][]byte{}}}
	out := &Knowledge{Hash: j.hash()}
	for _, f := range files.Files {
		j.take(f)
		out.Entries = append(out.Entries, entries(f)...)
	}
	j.more.Said = said(out)
	out.More = j.more
	if j.found.HasErrors() || !j.ends() {
		return nil, j.found.Sorted()
	}
	j.evaluate(&out.Base)
	if j.found.HasErrors() {
		return nil, j.found.Sorted()
	}
	return out, nil
}

// said is what templates may say of it.
func said(k *Knowledge) map[string]any {
	var list []any
	for _, e := range k.Entries {
		list = append(list, map[string]any{"of": e.Of, "name": e.Name, "file": e.File})
	}
	return map[string]any{"hash": k.Hash, "entries": list}
}

// judge judges the files of one site.
type judge struct {
	files  *source.Site
	limits watchdog.Limits
	more   knowledge.More
	found  diag.List
}

// meant is CUE without its comments, in one form.
func meant(data []byte) []byte {
	if f, err := parser.ParseFile("", data); err == nil {
		if formatted, err := format.Node(f); err == nil {
			return formatted
		}
	}
	return data
}

// hash tells the knowledge of a site from any other, whatever its comments say.
func (j *judge) hash() string {
	h := sha256.New()
	for _, f := range j.files.Files {
		data := f.Data
		if f.Syntax != nil {
			data = meant(data)
		}
		fmt.Fprintf(h, "%s\x00%d\x00", f.Place, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// take looks at a file by itself.
func (j *judge) take(f source.SiteFile) {
	if f.Syntax == nil {
		name := strings.TrimSuffix(path.Base(f.Place), ".json")
		index, err := chartindex.Parse(f.Data)
		switch {
		case err != nil:
			j.found.Add(noIndex.At(f.Start(), "", "%s: %s", f.Name, diag.OneLine(err.Error())))
		case index.Chart.Name+"-"+index.Chart.Version != name:
			j.found.Add(noIndex.At(f.Start(), "", "%s is the index of %s %s, and should be called %s-%s.json",
				f.Name, index.Chart.Name, index.Chart.Version, index.Chart.Name, index.Chart.Version))
		}
		j.more.Indexes[name] = f.Data
		return
	}
	j.more.Files = append(j.more.Files, knowledge.Source{Path: f.Place, Data: f.Data})
	j.more.Names[f.Place] = f.Syntax.Filename
	if path.Dir(f.Place) == "schema/rules" {
		j.explained(f)
	}
}

// explained finds rules that do not say what a person needs.
func (j *judge) explained(f source.SiteFile) {
	for _, rule := range under(f.Syntax, "rules") {
		body, ok := rule.Value.(*ast.StructLit)
		if !ok {
			continue
		}
		missing := []string{"title", "severity", "why", "fix", "source", "found"}
		for _, d := range body.Elts {
			missing = slices.DeleteFunc(missing, func(name string) bool { return name == syntax.LabelOf(d) })
		}
		if len(missing) > 0 {
			name, _, _ := ast.LabelName(rule.Label)
			j.found.Add(unexplained.At(f.Position(syntax.Extent(rule.Label)), "", "rule %s has no %s", name, strings.Join(missing, ", ")))
		}
	}
}

// ends evaluates each declaration that needs nothing else, and each file, by itself: one
// that does not end is found at its place. What it refers to elsewhere comes later.
func (j *judge) ends() bool {
	for _, f := range j.files.Files {
		if f.Syntax == nil {
			continue
		}
		for _, d := range f.Syntax.Decls {
			field, ok := d.(*ast.Field)
			if !ok {
				continue
			}
			if !j.finishes(f.Position(syntax.Extent(field.Label)), func() { knowledge.Alone(f.Data, f.Syntax, []ast.Decl{d}) }) {
				return false
			}
		}
		if !j.finishes(f.Start(), func() { knowledge.Alone(f.Data, f.Syntax, f.Syntax.Decls) }) {
			return false
		}
	}
	return true
}

// finishes runs f under the watchdog.
func (j *judge) finishes(at diag.Position, f func()) bool {
	hung, tripped := watchdog.Run(j.limits, "site knowledge", f)
	if tripped {
		hung.Position = at
		j.found.Add(hung)
	}
	return !tripped
}

// evaluate unifies the files with gpugen's, package by package, and finds what does not
// fit. Facts are compared with their types, which are left out of what a spec is judged by.
func (j *judge) evaluate(into **knowledge.Base) {
	whole := knowledge.Whole(j.more)
	for _, pkg := range []string{"schema/facts", "schema/facts/charts", "schema/spec", "templates", "schema/rules"} {
		files := j.of(pkg)
		if len(files) == 0 {
			continue
		}
		var v cue.Value
		if !j.finishes(files[0].Start(), func() { v = whole(pkg); j.report(v.Validate(), files[0].Start()) }) {
			return
		}
		if strings.HasPrefix(pkg, "schema/facts") {
			for _, f := range files {
				j.compare(v, f)
			}
		}
	}
	if j.found.HasErrors() {
		return
	}
	base, err := knowledge.With(j.more)
	if err != nil {
		j.report(err, j.files.Files[0].Start())
		return
	}
	*into = base
}

// compare validates what a file of facts says.
func (j *judge) compare(v cue.Value, f source.SiteFile) {
	for _, d := range f.Syntax.Decls {
		of := syntax.LabelOf(d)
		for _, field := range under(f.Syntax, of) {
			name, _, _ := ast.LabelName(field.Label)
			at := v.LookupPath(cue.MakePath(cue.Str(of), cue.Str(name)))
			if strings.HasPrefix(of, "_") || strings.HasPrefix(of, "#") || !at.Exists() {
				continue
			}
			place := f.Position(syntax.Extent(field.Label))
			if !j.finishes(place, func() { j.report(at.Validate(cue.Concrete(true), cue.Final()), place) }) {
				return
			}
		}
	}
}

func (j *judge) of(pkg string) []source.SiteFile {
	return slices.Collect(func(yield func(source.SiteFile) bool) {
		for _, f := range j.files.Files {
			if path.Dir(f.Place) == pkg && f.Syntax != nil && !yield(f) {
				return
			}
		}
	})
}

// report makes findings of what CUE says: each at the site's place, with ours beside it.
func (j *judge) report(err error, otherwise diag.Position) {
	for _, e := range errors.Errors(err) {
		var at diag.Position
		var also []diag.Place
		for _, pos := range append(errors.Positions(e), e.InputPositions()...) {
			if p, ok := j.files.At(pos); ok {
				switch {
				case at.IsZero():
					at = p
				case p != at:
					also = append(also, diag.Place{Position: p})
				}
			} else if pos.IsValid() && !filepath.IsAbs(pos.Filename()) {
				also = append(also, diag.Place{
					Position: diag.Position{File: "gpugen: " + pos.Filename(), Line: pos.Line(), Column: pos.Column()},
					Note:     "gpugen's own",
				})
			}
		}
		if at.IsZero() {
			at = otherwise
		}
		f := contradiction.At(at, "", "%s", diag.OneLine(j.files.Error(e)))
		for _, place := range also {
			if !slices.Contains(f.Also, place) {
				f.Also = append(f.Also, place)
			}
		}
		j.found.Add(f)
	}
}

// entries are what a file says, by the two names at its top; chart versions have three.
func entries(f source.SiteFile) []Entry {
	if f.Syntax == nil {
		return nil
	}
	var out []Entry
	for _, d := range f.Syntax.Decls {
		of := syntax.LabelOf(d)
		if of == "" || strings.HasPrefix(of, "_") {
			continue
		}
		for _, field := range under(f.Syntax, of) {
			name, _, err := ast.LabelName(field.Label)
			if err != nil || strings.HasPrefix(name, "_") {
				continue
			}
			e := Entry{Of: of, Name: name, File: path.Join(source.SiteDir, f.Place)}
			if versions, ok := field.Value.(*ast.StructLit); of == "charts" && ok {
				for _, version := range versions.Elts {
					e.Name = name + " " + syntax.LabelOf(version)
					out = append(out, e)
				}
				continue
			}
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Name, b.Name)) })
	return slices.Compact(out)
}

// under are the fields below a field at the top of a file.
func under(f *ast.File, name string) []*ast.Field {
	var out []*ast.Field
	for _, d := range f.Decls {
		field, ok := d.(*ast.Field)
		if !ok || syntax.LabelOf(d) != name {
			continue
		}
		if lit, ok := field.Value.(*ast.StructLit); ok {
			for _, elt := range lit.Elts {
				if inner, ok := elt.(*ast.Field); ok {
					if _, _, err := ast.LabelName(inner.Label); err == nil {
						out = append(out, inner)
					}
				}
			}
		}
	}
	return out
}
