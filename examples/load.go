package examples

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

const (
	valuesFile        = "values.yaml"
	kustomizationFile = "kustomization.yaml"
	rootFile          = "root.yaml"
)

// ValuesKey is the key of a component's Helm values among the objects.
func ValuesKey(component string) string { return "values/" + component }

// LoadTree reads a rendered tree: root.yaml, and the manifests directly in each
// folder (argocd/ or flux/, and one per component), with the Applications that an ApplicationSet
// makes. Helm values come from values.yaml or
// from the Application's helm.valuesObject, or the HelmRelease's values. The same object, or a component's
// values, twice is an error, and so is a file that holds no Kubernetes object.
func LoadTree(dir string) (map[string]any, error) {
	tree := os.DirFS(dir)
	files, err := manifests(tree)
	if err != nil {
		return nil, err
	}
	var collection Collection
	values := map[string]any{}
	for _, file := range files {
		data, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, err
		}
		documents, err := Documents(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if path.Base(file) == valuesFile {
			if len(documents) > 1 {
				return nil, fmt.Errorf("%s: more than one document", file)
			}
			// A chart that is taken as it comes has an empty values file.
			documents = append(documents, map[string]any{})
			values[ValuesKey(path.Dir(file))] = documents[0]
			continue
		}
		for _, document := range documents {
			made, err := Made(document)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			for _, o := range append([]map[string]any{document}, made...) {
				if err := collection.Add(file, o); err != nil {
					return nil, err
				}
			}
		}
	}
	objects := collection.Keyed()
	if err := addInlineValues(objects, values); err != nil {
		return nil, err
	}
	maps.Copy(objects, values)
	return objects, nil
}

// Made are the Applications that an ApplicationSet makes, as its controller would; other
// objects make none. A set that cannot be followed without a cluster is an error.
func Made(object map[string]any) ([]map[string]any, error) {
	if object["kind"] != "ApplicationSet" {
		return nil, nil
	}
	made, err := Applications(object)
	if err != nil {
		return nil, fmt.Errorf("ApplicationSet %s: %w", text(at(object, "metadata", "name")), err)
	}
	return made, nil
}

// manifests lists the files of a tree that LoadTree reads, sorted.
func manifests(tree fs.FS) ([]string, error) {
	if _, err := fs.Stat(tree, rootFile); err != nil {
		return nil, fmt.Errorf("not a rendered tree: %w", err)
	}
	files, err := fs.Glob(tree, "*/*.yaml")
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return path.Base(file) == kustomizationFile || strings.HasPrefix(file, ".")
	})
	return append([]string{rootFile}, files...), nil
}

func addInlineValues(objects, values map[string]any) error {
	releases, err := Releases(objects)
	if err != nil {
		return err
	}
	var errs []error
	for _, release := range releases {
		if release.InlineValues == nil {
			continue
		}
		name := ValuesKey(release.Component)
		if _, ok := values[name]; ok {
			errs = append(errs, fmt.Errorf("application %s: %s are given twice", release.Application, name))
			continue
		}
		values[name] = release.InlineValues
	}
	return errors.Join(errs...)
}
