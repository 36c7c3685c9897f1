package knowledge

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/gpugen/gpugen/schema/facts"
	"github.com/gpugen/gpugen/schema/rule"
	"github.com/gpugen/gpugen/schema/rules"
	"github.com/gpugen/gpugen/schema/spec"
	"github.com/gpugen/gpugen/templates"
)

// Source is one file of the embedded knowledge base.
type Source struct {
	// Path is relative to the module root, such as "schema/spec/pools.cue".
	Path string
	Data []byte
}

// Sources returns the CUE files of the knowledge base, sorted by path.
var Sources = sync.OnceValue(func() []Source {
	var out []Source
	for _, tree := range []struct {
		prefix string
		fsys   fs.FS
	}{
		{"schema/facts", facts.Files},
		{"schema/rule", rule.Files},
		{"schema/rules", rules.Files},
		{"schema/spec", spec.Files},
		{"templates", templates.Files},
	} {
		err := fs.WalkDir(tree.fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) != ".cue" {
				return err
			}
			data, err := fs.ReadFile(tree.fsys, name)
			if err != nil {
				return err
			}
			out = append(out, Source{Path: path.Join(tree.prefix, name), Data: data})
			return nil
		})
		if err != nil {
			panic("embedded files cannot be read: " + err.Error())
		}
	}
	slices.SortFunc(out, func(a, b Source) int { return strings.Compare(a.Path, b.Path) })
	return out
})
