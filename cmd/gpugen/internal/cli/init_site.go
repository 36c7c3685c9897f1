package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/schema"
)

const (
	specFile   = "cluster.cue"
	moduleFile = "cue.mod/module.cue"
)

// site is the directory that a spec shall live in.
type site struct {
	// name is as the user typed it, dir absolute.
	name, dir string
	// git is the root of the work tree around it, module the directory that holds
	// cue.mod; empty if there is none.
	git, module string
}

func newSite(name string) (*site, error) {
	dir, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	s := &site{name: filepath.ToSlash(filepath.Clean(name)), dir: dir}
	for d := dir; ; d = filepath.Dir(d) {
		if s.module == "" && isDir(filepath.Join(d, "cue.mod")) {
			s.module = d
		}
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			s.git = d
			return s, nil
		}
		if d == filepath.Dir(d) {
			return s, nil
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// moduleRoot is where a module belongs that there is not yet: at the root of the work
// tree, so that what clusters share can lie beside them.
func (s *site) moduleRoot() string {
	if s.git != "" {
		return s.git
	}
	return s.dir
}

// newModule is the file of a module that there is not yet.
func (s *site) newModule() newFile {
	rel, err := filepath.Rel(s.dir, s.moduleRoot())
	if err != nil {
		rel = "."
	}
	return newFile{s.join(filepath.ToSlash(rel) + "/" + moduleFile), []byte(schema.DefaultModule)}
}

// join names a file of the directory as the user would.
func (s *site) join(file string) string {
	return filepath.ToSlash(filepath.Join(filepath.FromSlash(s.name), filepath.FromSlash(file)))
}

// clusterName leaves room for the components' names in those of Applications.
var clusterName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$`)

// cluster is a name for the cluster: the directory's, where it can be one.
func (s *site) cluster() string {
	if base := filepath.Base(s.dir); clusterName.MatchString(base) {
		return base
	}
	return ""
}

var treePath = regexp.MustCompile(`^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$`)

// treePath is where the tree lies in its repository, where that is known.
func (s *site) treePath() string {
	if s.git == "" {
		return ""
	}
	rel, err := filepath.Rel(s.git, filepath.Join(s.dir, "tree"))
	if err != nil || !treePath.MatchString(filepath.ToSlash(rel)) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// newFile is a file that must not exist yet.
type newFile struct {
	// name is as the user would type it.
	name string
	data []byte
}

// create makes all files or none, and the directories that they need. It refuses
// where a spec is already.
func (s *site) create(files []newFile) error {
	if err := s.noSpec(); err != nil {
		return err
	}
	files = slices.Clone(files)
	for _, f := range files {
		if _, err := os.Lstat(f.name); err == nil {
			return &usageError{fmt.Sprintf("%s exists already; init overwrites nothing", f.name)}
		}
	}
	// The spec comes last: with it alone, a run after one that was killed would refuse to
	// make the module.
	slices.Reverse(files)
	return createFiles(files...)
}

// createFiles makes all files or none, each as a whole, and the directories that they need.
func createFiles(files ...newFile) error {
	var out []tree.File
	for _, f := range files {
		out = append(out, tree.File{Path: f.name, Data: f.data})
	}
	return tree.CreateFiles(out)
}

// noSpec refuses a directory that holds a spec in another form: two specs in one
// directory are none.
func (s *site) noSpec() error {
	for _, pattern := range []string{"*.cue", "cluster.yaml", "cluster.yml", "cluster.json"} {
		found, _ := fs.Glob(os.DirFS(s.dir), pattern)
		for _, file := range found {
			if isSpec(filepath.Join(s.dir, file)) {
				return &usageError{s.join(file) + " exists already; init overwrites nothing"}
			}
		}
	}
	return nil
}

var clusterClause = regexp.MustCompile(`(?m)^\s*package\s+cluster\b`)

func isSpec(path string) bool {
	if filepath.Ext(path) != ".cue" || filepath.Base(path) == specFile {
		return true
	}
	return clusterClause.Match(textOf(path))
}

// textOf is what stands in a file that may be part of a spec; nothing where it has no
// end, as a device that a link leads to, or is larger than any spec.
func textOf(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > schema.DefaultSize {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return data
}
