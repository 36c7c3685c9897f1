package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/e2e/crd"
)

const (
	rootFile   = "root.yaml"
	argocdDir  = "argocd"
	valuesFile = "values.yaml"
)

// Document is one object as a file of the tree has it.
type Document struct {
	// File is the path in the tree.
	File string
	// Component is the folder of the file; empty for the tree itself.
	Component string
	// Data is the YAML as it stands.
	Data []byte
	// Object is what Data says.
	Object *unstructured.Unstructured
	// place is where the tree's order has it.
	place place
}

// Tree is a rendered tree.
type Tree struct {
	// Documents are sorted in the order that the tree promises.
	Documents []*Document
	// Problems are those that show without a server.
	Problems []Problem

	files        fs.FS
	external     []crd.ChartVersion
	applications map[string]*application
	// transformed are the folders whose kustomization does more than list files.
	transformed map[string]bool
}

// Load reads what Argo CD would apply: root.yaml, and what the kustomizations of
// the tree and of each component list. An error means that the files are no tree;
// what is wrong within a tree is among its problems. External are charts that the
// cluster has besides.
func Load(files fs.FS, external ...crd.ChartVersion) (*Tree, error) {
	t := &Tree{files: files, external: external, applications: map[string]*application{}, transformed: map[string]bool{}}
	if _, err := fs.Stat(t.files, rootFile); err != nil {
		return nil, fmt.Errorf("not a rendered tree: %w", err)
	}
	t.read("", rootFile)
	if err := t.build("."); err != nil {
		return nil, err
	}
	if err := t.findApplications(); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(t.files, ".")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") && entry.Name() != argocdDir {
			if err := t.build(entry.Name()); err != nil {
				return nil, err
			}
		}
	}
	t.findStrays()
	t.placeDocuments()
	return t, nil
}

// report adds a problem of a file.
func (t *Tree) report(file, object, field, format string, arguments ...any) {
	t.Problems = append(t.Problems, Problem{file, object, field, fmt.Sprintf(format, arguments...)})
}

// read adds the documents of a file as they stand.
func (t *Tree) read(component, file string) {
	data, err := fs.ReadFile(t.files, file)
	if err != nil {
		t.report(file, "", "", "is listed and cannot be read: %v", errors.Unwrap(err))
		return
	}
	t.add(component, file, data)
}

// add takes a stream of YAML documents apart.
func (t *Tree) add(component, file string, data []byte) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.report(file, "", "", "%v", err)
			return
		}
		var fields map[string]any
		// Twice the same key is for the server to refuse.
		encoded, err := yaml.YAMLToJSON(document)
		if err == nil {
			err = json.Unmarshal(encoded, &fields)
		}
		switch {
		case err != nil:
			t.report(file, "", "", "not a YAML mapping: %v", err)
		case len(fields) > 0:
			t.addObject(component, file, document, &unstructured.Unstructured{Object: fields})
		}
	}
}

func (t *Tree) addObject(component, file string, document []byte, object *unstructured.Unstructured) {
	for field, value := range map[string]string{"apiVersion": object.GetAPIVersion(), "kind": object.GetKind(), "metadata.name": object.GetName()} {
		if value == "" {
			t.report(file, nameOf(object), field, "is missing: this is no Kubernetes object")
			return
		}
	}
	t.Documents = append(t.Documents, &Document{File: file, Component: component, Data: document, Object: object})
}

// findStrays reports manifests that nothing applies.
func (t *Tree) findStrays() {
	listed := map[string]bool{}
	for _, document := range t.Documents {
		listed[document.File] = true
	}
	for _, problem := range t.Problems {
		listed[problem.File] = true
	}
	found, err := fs.Glob(t.files, "*/*.yaml")
	if err != nil {
		return
	}
	for _, file := range found {
		if base := path.Base(file); !listed[file] && base != valuesFile && base != kustomizationFile && !strings.HasPrefix(file, ".") && !t.transformed[path.Dir(file)] {
			t.report(file, "", "", "no kustomization lists this file, so nobody applies it")
		}
	}
}
