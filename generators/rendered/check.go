package rendered

import (
	"fmt"
	"io/fs"

	"github.com/gpugen/gpugen/schema/diag"
)

// Check judges the files of a directory. An error means that it cannot be read.
func Check(dir fs.FS, known *Knowledge, options Options) (diag.List, error) {
	files, findings, err := read(dir)
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	return newTree(files, findings, known, options).check(), nil
}

// CheckFiles judges files that are in memory, by their paths.
func CheckFiles(texts map[string][]byte, known *Knowledge, options Options) diag.List {
	files := map[string]*file{}
	for name, text := range texts {
		files[name] = newFile(name, text)
	}
	return newTree(files, nil, known, options).check()
}

func (t *tree) check() diag.List {
	for _, judge := range []func(*tree){
		(*tree).fields, (*tree).manifests, (*tree).names,
		(*tree).destinations, (*tree).sources, (*tree).elsewhere, (*tree).values, (*tree).generatePaths,
		(*tree).project, (*tree).projectsThemselves,
		(*tree).owners, (*tree).namespaces, (*tree).podSecurity, (*tree).managedNamespaces,
		(*tree).definitions, (*tree).waves, (*tree).applicationSets,
		(*tree).sizes, (*tree).hooks, (*tree).live, (*tree).caBundles, (*tree).differences,
		(*tree).excludedKinds, (*tree).deletions, (*tree).empty, (*tree).syncOptions, (*tree).customizations,
	} {
		judge(t)
	}
	t.reconciled()
	return t.findings
}
