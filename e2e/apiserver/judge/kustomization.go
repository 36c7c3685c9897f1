package judge

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

const kustomizationFile = "kustomization.yaml"

// build adds what `kustomize build` makes of a folder. A kustomization that only
// lists files changes nothing in them, so they are read as they stand, which
// keeps the text and the names of the files; only what transforms is built.
func (t *Tree) build(dir string) error {
	component := dir
	if dir == "." {
		component = argocdDir
	}
	file := path.Join(dir, kustomizationFile)
	data, err := fs.ReadFile(t.files, file)
	if errors.Is(err, fs.ErrNotExist) {
		// A component may have values only.
		return nil
	}
	if err != nil {
		return err
	}
	var kustomization map[string]any
	if err := yaml.Unmarshal(data, &kustomization); err != nil {
		t.report(file, "", "", "%v", err)
		return nil
	}
	resources, plain := t.plainList(dir, kustomization)
	if !plain {
		t.transformed[dir] = true
		if err := t.transform(component, dir, kustomization); err != nil {
			t.report(file, "", "", "does not build: %v", err)
		}
		return nil
	}
	for _, resource := range resources {
		t.read(component, path.Join(dir, resource))
	}
	return nil
}

// plainList returns the files that a kustomization lists, if it does no more.
func (t *Tree) plainList(dir string, kustomization map[string]any) ([]string, bool) {
	var out []string
	for field, value := range kustomization {
		switch field {
		case "apiVersion", "kind", "metadata":
		case "resources":
			list, _ := value.([]any)
			for _, entry := range list {
				name, _ := entry.(string)
				if info, err := fs.Stat(t.files, path.Join(dir, name)); err == nil && info.IsDir() {
					return nil, false
				}
				out = append(out, name)
			}
		default:
			return nil, false
		}
	}
	return out, true
}

// transform builds a folder with kustomize's own library, which marks the file
// that each object comes from.
func (t *Tree) transform(component, dir string, kustomization map[string]any) error {
	memory := filesys.MakeFsInMemory()
	err := fs.WalkDir(t.files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(t.files, file)
		if err != nil {
			return err
		}
		return memory.WriteFile(path.Join("/", file), data)
	})
	if err != nil {
		return err
	}
	kustomization["buildMetadata"] = []any{types.OriginAnnotations}
	data, err := yaml.Marshal(kustomization)
	if err != nil {
		return err
	}
	if err := memory.WriteFile(path.Join("/", dir, kustomizationFile), data); err != nil {
		return err
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(memory, path.Join("/", dir))
	if err != nil {
		return err
	}
	for _, object := range built.Resources() {
		file := path.Join(dir, kustomizationFile)
		if origin, err := object.GetOrigin(); err == nil && origin != nil && origin.Path != "" {
			file = path.Join(dir, origin.Path)
		}
		if err := object.SetOrigin(nil); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		document, err := object.AsYAML()
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		t.add(component, file, document)
	}
	return nil
}
