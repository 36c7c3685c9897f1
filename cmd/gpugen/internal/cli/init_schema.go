package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/schema"
)

// schemaDir is where cue looks for gpugen's packages without a registry.
var schemaDir = "cue.mod/pkg/" + schema.Module

// schemaName names the copy of the schema as the user would.
func (s *site) schemaName() string {
	if s.module == "" || s.module == s.dir {
		return s.join(schemaDir)
	}
	rel, err := filepath.Rel(s.dir, filepath.Join(s.module, filepath.FromSlash(schemaDir)))
	if err != nil {
		return schemaDir
	}
	return s.join(filepath.ToSlash(rel))
}

// writeSchema makes the copy of the schema in the module equal to what this
// gpugen holds, and returns what it wrote besides that copy. It follows no link
// out of the module.
func writeSchema(s *site) ([]string, error) {
	var wrote []string
	base := s.module
	if base == "" {
		file := s.newModule()
		if err := createFiles(file); err != nil {
			return nil, err
		}
		wrote, base = append(wrote, file.name), s.moduleRoot()
		s.module = base
	}
	if ownModule.Match(textOf(filepath.Join(base, filepath.FromSlash(moduleFile)))) {
		return nil, &usageError{"this is gpugen's own module, which needs no copy of its schema"}
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return wrote, renewSchema(root)
}

var ownModule = regexp.MustCompile(`(?m)^module:\s*"` + regexp.QuoteMeta(schema.Module) + `(@v[0-9]+)?"`)

func renewSchema(root *os.Root) error {
	wanted := map[string][]byte{}
	var files []tree.File
	for _, source := range schema.Sources() {
		name := schemaDir + "/" + source.Path
		wanted[name] = source.Data
		if there, err := tree.ReadRegular(root, name); err != nil || !bytes.Equal(there, source.Data) {
			files = append(files, tree.File{Path: name, Data: source.Data})
		}
	}
	if err := tree.ReplaceFilesBelow(root, files); err != nil {
		return err
	}
	return removeStale(root, wanted)
}

// removeStale drops CUE files of another gpugen's schema from the copy, and what a run
// that was killed left there.
func removeStale(root *os.Root, wanted map[string][]byte) error {
	if _, err := root.Stat(schemaDir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fs.WalkDir(root.FS(), schemaDir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".cue" && !tree.IsStaged(name) {
			return err
		}
		if _, ok := wanted[name]; ok {
			return nil
		}
		return root.Remove(name)
	})
}
