package tree

import (
	"path/filepath"

	"github.com/gpugen/gpugen/schema/diag"
)

// place makes findings about one output directory.
type place struct {
	// dir is the directory as the caller named it.
	dir string
}

// finding is a finding about the file at path (slashes, relative to the
// directory; "" is the directory itself).
func (p place) finding(kind diag.Kind, path, format string, args ...any) diag.Finding {
	at := diag.Position{File: filepath.ToSlash(filepath.Join(p.dir, filepath.FromSlash(path)))}
	return kind.At(at, "", format, args...)
}
