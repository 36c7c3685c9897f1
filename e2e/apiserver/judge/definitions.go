package judge

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
)

const (
	definitionKind  = "CustomResourceDefinition"
	definitionLimit = time.Minute
	pollEvery       = 100 * time.Millisecond
)

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
}

// definitions returns the CRDs that a tree has or its charts bring, and those that
// it rests on. A CRD that several bring is taken from the first: the tree, the
// folders, charts in the order of the tree, Argo CD, then what lies beneath.
func (s Sources) definitions(t *Tree) ([]*definition, error) {
	var all []*definition
	for _, document := range t.Documents {
		if document.isDefinition() {
			d, err := newDefinition(document.File, document.Object.DeepCopy().Object)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
	}
	for _, folder := range s.Folders {
		err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file)) {
				return err
			}
			found, err := readDefinitions(file)
			all = append(all, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if s.Upstream != "" {
		found, err := s.upstream(t)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	known := map[string]bool{}
	return slices.DeleteFunc(all, func(d *definition) bool {
		defer func() { known[d.object.GetName()] = true }()
		return known[d.object.GetName()]
	}), nil
}

// upstream returns what the upstream data has for a tree: all that its charts
// bring. Of what it merely rests on, only the kinds that it uses: the server
// holds each CRD in memory, and some are large.
func (s Sources) upstream(t *Tree) ([]*definition, error) {
	charts, err := t.charts()
	if err != nil {
		return nil, err
	}
	used := map[schema.GroupKind]bool{}
	for _, document := range t.Documents {
		used[document.Object.GroupVersionKind().GroupKind()] = true
	}
	out, err := s.ofCharts(charts)
	if err != nil {
		return nil, err
	}
	beneath, err := s.ofCharts(append([]crd.ChartVersion{crd.ArgoCD}, crd.Beneath...))
	if err != nil {
		return nil, err
	}
	return append(out, slices.DeleteFunc(beneath, func(d *definition) bool { return !used[d.groupKind()] })...), nil
}

func (s Sources) ofCharts(charts []crd.ChartVersion) ([]*definition, error) {
	var out []*definition
	for _, chart := range charts {
		files, err := crd.DefinitionFiles(s.Upstream, chart)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			found, err := readDefinitions(file)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
	}
	return out, nil
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

// install makes the server have these CRDs and no others. What it has already
// stays.
func (s *Session) install(ctx context.Context, wanted []*definition) ([]Problem, error) {
	keep := map[string]bool{}
	for _, d := range wanted {
		keep[d.object.GetName()] = s.installed[d.object.GetName()] != nil && s.installed[d.object.GetName()].sum == d.sum
	}
	var gone []*definition
	for name, d := range s.installed {
		if !keep[name] {
			gone = append(gone, d)
		}
	}
	if err := s.uninstall(ctx, gone); err != nil {
		return nil, err
	}
	var problems []Problem
	var added []*definition
	for _, d := range wanted {
		if keep[d.object.GetName()] {
			continue
		}
		if answer := s.client.Create(ctx, d.object, d.data); answer.Err != nil {
			for _, one := range refusals(answer.Err) {
				problems = append(problems, Problem{d.source, nameOf(d.object), one.field, one.message})
			}
			continue
		}
		added = append(added, d)
		s.installed[d.object.GetName()] = d
	}
	return problems, s.waitUntilServed(ctx, added)
}

// waitUntilServed waits for what comes after a CRD is stored: discovery knows its
// versions, and each answers.
func (s *Session) waitUntilServed(ctx context.Context, definitions []*definition) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pollEvery, definitionLimit, true, func(ctx context.Context) (bool, error) {
		if last = s.client.Discover(ctx); last != nil {
			return false, nil
		}
		for _, d := range definitions {
			for _, object := range d.served() {
				if last = s.client.List(ctx, object); last != nil {
					return false, nil
				}
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("custom resources are not served: %w", errors.Join(err, last))
	}
	return nil
}

// uninstall returns when the CRDs are gone; one that is merely marked for
// deletion would take the next of its name with it.
func (s *Session) uninstall(ctx context.Context, definitions []*definition) error {
	for _, d := range definitions {
		if err := s.client.Delete(ctx, d.object); err != nil {
			return err
		}
	}
	for _, d := range definitions {
		if err := s.waitUntilGone(ctx, d.object); err != nil {
			return err
		}
		delete(s.installed, d.object.GetName())
	}
	return nil
}

func (s *Session) waitUntilGone(ctx context.Context, object *unstructured.Unstructured) error {
	err := wait.PollUntilContextTimeout(ctx, pollEvery, definitionLimit, true, func(ctx context.Context) (bool, error) {
		there, err := s.client.Exists(ctx, object)
		return !there, err
	})
	if err != nil {
		return fmt.Errorf("%s does not go away: %w", nameOf(object), err)
	}
	return nil
}
