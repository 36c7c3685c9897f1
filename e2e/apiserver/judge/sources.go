package judge

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
)

const definitionKind = "CustomResourceDefinition"

// definition is a CustomResourceDefinition that the cluster would have.
type definition struct {
	source string
	object *unstructured.Unstructured
	data   []byte
	sum    [sha256.Size]byte
}

// Sources says where CustomResourceDefinitions come from.
type Sources struct {
	// Upstream is a folder <chart>/<version>/crds*/*.yaml; empty for none.
	Upstream string
	// Folders hold YAML files at any depth, out of which the CRDs are taken. They
	// win over Upstream.
	Folders []string

	// read are files that were read before: each tree asks for much the same.
	read map[string][]*definition
}

// definitions returns the CRDs that a tree has or its charts bring, and those that
// it rests on. A CRD that several bring is taken from the first: the tree, the
// folders, charts in the order of the tree, Argo CD, external charts, then what any
// tree may rest on.
//
// Of all but the tree and its charts only the kinds that the tree uses are taken:
// the server holds each CRD in memory, and some are large.
func (s *Sources) definitions(t *Tree) ([]*definition, error) {
	own, err := t.definitions()
	if err != nil {
		return nil, err
	}
	folders, err := s.ofFolders()
	if err != nil {
		return nil, err
	}
	charts, err := t.charts()
	if err != nil {
		return nil, err
	}
	brought, err := s.ofCharts(charts)
	if err != nil {
		return nil, err
	}
	beneath, err := s.ofCharts(slices.Concat([]crd.ChartVersion{crd.ArgoCD}, t.external, crd.Beneath))
	if err != nil {
		return nil, err
	}
	used := map[schema.GroupKind]bool{}
	for _, document := range t.Documents {
		used[document.Object.GroupVersionKind().GroupKind()] = true
	}
	unused := func(d *definition) bool { return !used[d.groupKind()] }
	all := slices.Concat(own, slices.DeleteFunc(folders, unused), brought, slices.DeleteFunc(beneath, unused))
	known := map[string]bool{}
	return slices.DeleteFunc(all, func(d *definition) bool {
		defer func() { known[d.object.GetName()] = true }()
		return known[d.object.GetName()]
	}), nil
}

// definitions returns the CRDs among the tree's own objects.
func (t *Tree) definitions() ([]*definition, error) {
	var out []*definition
	for _, document := range t.Documents {
		if !document.isDefinition() {
			continue
		}
		d, err := newDefinition(document.File, document.Object.DeepCopy().Object)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func (s *Sources) ofFolders() ([]*definition, error) {
	var out []*definition
	for _, folder := range s.Folders {
		err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file)) {
				return err
			}
			found, err := s.file(file)
			out = append(out, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Sources) ofCharts(charts []crd.ChartVersion) ([]*definition, error) {
	if s.Upstream == "" {
		return nil, nil
	}
	var out []*definition
	for _, chart := range charts {
		files, err := crd.DefinitionFiles(s.Upstream, chart)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			found, err := s.file(file)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
	}
	return out, nil
}

func (s *Sources) file(name string) ([]*definition, error) {
	if found, ok := s.read[name]; ok {
		return found, nil
	}
	found, err := readDefinitions(name)
	if s.read == nil {
		s.read = map[string][]*definition{}
	}
	s.read[name] = found
	return found, err
}

// readDefinitions returns the CRDs in a file and leaves out other kinds.
func readDefinitions(file string) ([]*definition, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(data), definitionKind) {
		return nil, nil
	}
	documents, err := examples.Documents(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var out []*definition
	for _, document := range documents {
		if document["kind"] != definitionKind {
			continue
		}
		d, err := newDefinition(file, document)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func newDefinition(source string, object map[string]any) (*definition, error) {
	d := &definition{source: source, object: &unstructured.Unstructured{Object: object}}
	// Nobody runs the webhook that would convert, and what is applied in a served
	// version would be asked for in the stored one.
	if strategy, _, _ := unstructured.NestedString(object, "spec", "conversion", "strategy"); strategy == "Webhook" {
		unstructured.RemoveNestedField(object, "spec", "conversion")
	}
	unstructured.RemoveNestedField(object, "status")
	versions, _, _ := unstructured.NestedSlice(object, "spec", "versions")
	for i := range versions {
		// Flux's have a status from the start, which its controllers then write. Without
		// them the server would store it at the second apply.
		if version, ok := versions[i].(map[string]any); ok {
			unstructured.RemoveNestedField(version, "schema", "openAPIV3Schema", "properties", "status", "default")
		}
	}
	if len(versions) > 0 {
		if err := unstructured.SetNestedSlice(object, versions, "spec", "versions"); err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
	}
	var err error
	if d.data, err = json.Marshal(object); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	d.sum = sha256.Sum256(d.data)
	return d, nil
}

func (d *definition) groupKind() schema.GroupKind {
	group, _, _ := unstructured.NestedString(d.object.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(d.object.Object, "spec", "names", "kind")
	return schema.GroupKind{Group: group, Kind: kind}
}

// served returns an object of each version that the server will serve.
func (d *definition) served() []*unstructured.Unstructured {
	versions, _, _ := unstructured.NestedSlice(d.object.Object, "spec", "versions")
	var out []*unstructured.Unstructured
	for _, version := range versions {
		fields, _ := version.(map[string]any)
		if fields["served"] != true {
			continue
		}
		name, _ := fields["name"].(string)
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(d.groupKind().WithVersion(name))
		if scope, _, _ := unstructured.NestedString(d.object.Object, "spec", "scope"); scope == "Namespaced" {
			object.SetNamespace("default")
		}
		out = append(out, object)
	}
	return out
}
