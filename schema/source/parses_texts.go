package source

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/syntax"
)

// parsing are the packages of CUE's own whose functions parse texts level by level.
const parsing = "encoding/"

// ParsesTexts is where a file imports a package of CUE's own that parses texts; false if
// none does. Imports that only rules of a site use count as well.
func (s *Files) ParsesTexts() (diag.Position, bool) {
	for _, path := range slices.Sorted(maps.Keys(s.byPath)) {
		src := s.byPath[path]
		// Files of other packages in the same directory are read for their names alone.
		if src.used && (filepath.Ext(path) == ".cue" || src == s.main) {
			if at, ok := parsesTexts(src); ok {
				return at, true
			}
		}
	}
	return diag.Position{}, false
}

// ParsesTexts is where a file of a site imports a package of CUE's own that parses texts.
func (s *Site) ParsesTexts() (diag.Position, bool) {
	for _, f := range s.Files {
		if f.Syntax == nil {
			continue
		}
		if at, ok := parsesTexts(f.File); ok {
			return at, true
		}
	}
	return diag.Position{}, false
}

func parsesTexts(src *File) (diag.Position, bool) {
	f, err := parser.ParseFile(src.Name, src.Data, parser.ImportsOnly)
	if err != nil || f == nil {
		return diag.Position{}, false
	}
	for spec := range f.ImportSpecs() {
		info, err := astutil.ParseImportSpec(spec)
		if err == nil && strings.HasPrefix(ast.ParseImportPath(info.ID).Path, parsing) {
			return src.Position(syntax.Extent(spec)), true
		}
	}
	return diag.Position{}, false
}
