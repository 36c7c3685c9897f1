package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
)

// references says which rules a file of the catalogue is about.
type references struct {
	// rule is the ID of each file that holds one, by name.
	rule map[string]string
	// defines are the names that a file defines beside its rule; uses are all names in it.
	defines, uses map[string][]string
}

func readReferences(dir string) (*references, error) {
	out := &references{rule: map[string]string{}, defines: map[string][]string{}, uses: map[string][]string{}}
	names, err := filepath.Glob(filepath.Join(dir, "*.cue"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(name, data)
		if err != nil {
			return nil, err
		}
		file := filepath.Base(name)
		for _, d := range f.Decls {
			field, ok := d.(*ast.Field)
			if !ok {
				continue
			}
			label, _, _ := ast.LabelName(field.Label)
			if label != "rules" {
				out.defines[file] = append(out.defines[file], label)
				continue
			}
			if lit, ok := field.Value.(*ast.StructLit); ok && len(lit.Elts) > 0 {
				if rule, ok := lit.Elts[0].(*ast.Field); ok {
					if id, _, _ := ast.LabelName(rule.Label); strings.Contains(id, "-") {
						out.rule[file] = id
					}
				}
			}
		}
		ast.Walk(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				out.uses[file] = append(out.uses[file], id.Name)
			}
			return true
		}, nil)
	}
	return out, nil
}

// of lists the rules that a file holds, or that use what it defines, at most so many
// that their tests are quick.
func (r *references) of(path string) []string {
	if !strings.HasPrefix(path, "schema/rules/") {
		return nil
	}
	const enough = 12
	file := filepath.Base(path)
	var ids []string
	if id := r.rule[file]; id != "" {
		ids = append(ids, id)
	}
	for _, other := range sortedKeys(r.rule) {
		if other != file && len(ids) < enough && slices.ContainsFunc(r.defines[file], func(name string) bool { return slices.Contains(r.uses[other], name) }) {
			ids = append(ids, r.rule[other])
		}
	}
	return ids
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for key := range m {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}
