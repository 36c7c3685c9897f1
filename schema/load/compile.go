package load

import (
	"regexp"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/shape"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/syntax"
)

// compileError makes a finding of what CUE says while it compiles.
func compileError(files *source.Files, err errors.Error) diag.Finding {
	at := files.Start()
	for _, pos := range append(errors.Positions(err), err.InputPositions()...) {
		src, file := files.Find(pos)
		if file == nil {
			continue
		}
		at = src.Position(pos.Offset(), pos.Offset()+1)
		ast.Walk(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Pos().Offset() == pos.Offset() {
				at = src.Position(syntax.Extent(id))
			}
			return true
		}, nil)
		break
	}
	return shape.NotComputed.At(at, "", "%s", diag.OneLine(placePrefix.ReplaceAllString(files.PlainError(err), "")))
}

// placePrefix is the position that some of CUE's messages begin with.
var placePrefix = regexp.MustCompile(`^[^ ]*\.cue:[0-9]+:[0-9]+: `)
