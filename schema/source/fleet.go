package source

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/schema/diag"
)

// everyBelow ends an argument that stands for all specs below a directory.
const everyBelow = "..."

// IsFleet tells whether an argument stands for all specs below a directory, such as
// ./clusters/... .
func IsFleet(arg string) bool { return path.Base(filepath.ToSlash(arg)) == everyBelow }

// Fleet finds the specs that such an argument stands for, sorted: each directory with a
// cluster.yaml or the like, and of those with CUE files of package cluster each one
// without another below it; the others are what clusters inherit. Names that begin with
// a dot or an underscore, cue.mod, rendered trees and links are passed over.
//
// That there is none, and each directory that cannot be read, are findings.
func Fleet(arg string) ([]string, diag.List) {
	root := filepath.Dir(filepath.FromSlash(arg))
	var specs, packages []string
	var unread diag.List
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); dir != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "cue.mod") {
			return fs.SkipDir
		}
		entries, err := os.ReadDir(dir)
		if err != nil && dir != root {
			// The others are looked at all the same.
			name := filepath.ToSlash(dir)
			unread.Add(unreadable.At(diag.Position{File: name, Line: 1, Column: 1}, "", "%s", readError(name, err)))
			return fs.SkipDir
		}
		if err != nil {
			return err
		}
		if isTree(dir) {
			return fs.SkipDir
		}
		switch {
		case slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return slices.Contains(dataNames, e.Name()) }):
			specs = append(specs, dir)
		case slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return declaresCluster(filepath.Join(dir, e.Name()), e) }):
			packages = append(packages, dir)
		}
		return nil
	})
	given := diag.Position{File: filepath.ToSlash(arg), Line: 1, Column: 1}
	if err != nil {
		return nil, diag.List{unreadable.At(given, "", "%s", readError(filepath.ToSlash(root), err))}
	}
	for _, dir := range packages {
		inherited := slices.ContainsFunc(packages, func(other string) bool { return other != dir && within(dir, other) })
		if !inherited {
			specs = append(specs, dir)
		}
	}
	if len(specs) == 0 && len(unread) > 0 {
		return nil, unread
	}
	if len(specs) == 0 {
		f := unreadable.At(given, "", "there is no spec below %s", filepath.ToSlash(root))
		f.Fix = "name a directory with clusters below it; a cluster is a directory with CUE files of package cluster, or with cluster.yaml"
		return nil, diag.List{f}
	}
	slices.Sort(specs)
	return specs, unread
}

// Base is the finding about a directory that is no cluster, but what clusters below it
// inherit; false if it is no such directory.
func Base(path string) (diag.Finding, bool) {
	if path == "" {
		path = "."
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return diag.Finding{}, false
	}
	every := strings.TrimSuffix(filepath.ToSlash(path), "/") + "/" + everyBelow
	specs, found := Fleet(every)
	if len(found) > 0 || slices.Contains(specs, filepath.Clean(path)) {
		return diag.Finding{}, false
	}
	f := base.At(diag.Position{File: filepath.ToSlash(path), Line: 1, Column: 1}, "", "%s is no cluster, but what %s below it inherits", filepath.ToSlash(path), count(len(specs)))
	f.Fix = "name one of them, such as " + filepath.ToSlash(specs[0]) + ", or " + every + " for all"
	return f, true
}

func count(clusters int) string {
	if clusters == 1 {
		return "the cluster"
	}
	return fmt.Sprintf("each of %d clusters", clusters)
}

// isTree tells whether gpugen rendered a tree into a directory.
func isTree(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".gpugen", "inventory.json"))
	return err == nil
}

// declaresCluster tells whether a file is part of package cluster. One that cannot be
// read may be; the finding about it comes with the spec.
func declaresCluster(file string, e fs.DirEntry) bool {
	if !e.Type().IsRegular() || !isCUEFile(e.Name()) {
		return false
	}
	if info, err := e.Info(); err != nil || info.Size() > DefaultSize {
		return true
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return true
	}
	syntax, err := parser.ParseFile(file, data, parser.PackageClauseOnly)
	return err == nil && syntax.PackageName() == clusterPackage
}
