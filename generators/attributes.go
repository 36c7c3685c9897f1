package generators

import (
	"path"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/tree"
)

const attributesFile = ".gitattributes"

// attributes tell git how to keep the files of a tree: with the line ends that gpugen
// writes, and, where two branches changed the same place, with the lines of both. All
// of it follows from the spec, so the next render puts it in order; a conflict would
// ask a person to decide what only the spec decides.
//
// A pattern leads to what gpugen writes and no further, since the spec, or files of
// others, may lie beside it.
func attributes(files []tree.File, header string) []byte {
	patterns := []string{"/" + attributesFile, "/" + tree.InventoryPath}
	for _, f := range files {
		pattern := "/" + f.Path
		if dir := path.Dir(f.Path); dir != "." {
			pattern = "/" + dir + "/*" + path.Ext(f.Path)
		}
		patterns = append(patterns, pattern)
	}
	slices.Sort(patterns)
	var b strings.Builder
	b.WriteString("# " + header + "\n")
	b.WriteString("# Two branches merge without a conflict here; render what they became, and commit it.\n")
	for _, pattern := range slices.Compact(patterns) {
		b.WriteString(pattern + " text eol=lf merge=union\n")
	}
	return []byte(b.String())
}
