// Package appset makes the Applications of an ApplicationSet, as Argo CD's controller
// does (applicationset/utils and applicationset/controllers/template, v3.5.1). It must
// not know what gpugen renders.
package appset

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

// ErrUnknown says that a set cannot be followed without a cluster, or uses what this
// package does not have: its Applications are not known.
var ErrUnknown = errors.New("not known here")

// finalizer that the controller adds where resources are not preserved and the template
// has none of its own.
const finalizer = "resources-finalizer.argocd.argoproj.io"

// Application is what a set makes of one generator's parameters.
func Application(set, parameters map[string]any) (map[string]any, error) {
	if at(set, "spec", "goTemplate") != true {
		return nil, fmt.Errorf("a set without goTemplate: %w", ErrUnknown)
	}
	filler := filler{parameters: parameters}
	options, _ := at(set, "spec", "goTemplateOptions").([]any)
	for _, o := range options {
		if s, ok := o.(string); ok {
			filler.options = append(filler.options, s)
		}
	}
	filled, err := filler.value(at(set, "spec", "template"))
	if err != nil {
		return nil, err
	}
	app, ok := filled.(map[string]any)
	if !ok {
		return nil, errors.New("spec.template is no mapping")
	}
	metadata, _ := app["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		app["metadata"] = metadata
	}
	finalizers, _ := metadata["finalizers"].([]any)
	if at(set, "spec", "syncPolicy", "preserveResourcesOnDeletion") != true && len(finalizers) == 0 {
		metadata["finalizers"] = []any{finalizer}
	}
	project := at(app, "spec", "project")
	if text, ok := at(set, "spec", "templatePatch").(string); ok {
		if text, err = filler.text(text); err != nil {
			return nil, err
		}
		var patch map[string]any
		if err := yaml.Unmarshal([]byte(text), &patch); err != nil {
			return nil, fmt.Errorf("what templatePatch becomes is no YAML: %w", err)
		}
		app = merge(app, patch)
	}
	// Whoever controls the parameters must not choose the project.
	if spec, ok := app["spec"].(map[string]any); ok && project != nil {
		spec["project"] = project
	}
	app["apiVersion"], app["kind"] = "argoproj.io/v1alpha1", "Application"
	if metadata, ok := app["metadata"].(map[string]any); ok {
		metadata["namespace"] = at(set, "metadata", "namespace")
	}
	return app, nil
}

// merge lays a patch over an object. Argo CD's is a strategic one, whose lists have no
// keys in an Application's spec: they are replaced.
func merge(into, patch map[string]any) map[string]any {
	out := maps.Clone(into)
	for key, value := range patch {
		below, isMap := value.(map[string]any)
		old, wasMap := out[key].(map[string]any)
		switch {
		case value == nil:
			delete(out, key)
		case isMap && wasMap:
			out[key] = merge(old, below)
		default:
			out[key] = value
		}
	}
	return out
}

type filler struct {
	parameters map[string]any
	options    []string
}

// value fills all texts of a value, its keys too.
func (f filler) value(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return f.text(v)
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			filled, err := f.value(item)
			if err != nil {
				return nil, err
			}
			out = append(out, filled)
		}
		return out, nil
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			key, err := f.text(key)
			if err != nil {
				return nil, err
			}
			if out[key], err = f.value(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

func (f filler) text(text string) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	t := template.New("").Funcs(functions)
	for _, option := range f.options {
		if !strings.HasPrefix(option, "missingkey=") {
			return "", fmt.Errorf("template option %q: %w", option, ErrUnknown)
		}
		t = t.Option(option)
	}
	t, err := t.Parse(text)
	if err != nil {
		if strings.Contains(err.Error(), "function ") {
			return "", fmt.Errorf("%v: %w", err, ErrUnknown)
		}
		return "", err
	}
	var out strings.Builder
	if err := t.Execute(&out, f.parameters); err != nil {
		return "", err
	}
	return out.String(), nil
}

// functions that this package has of those that Argo CD gives to templates.
var functions = template.FuncMap{
	"toJson": func(v any) (string, error) {
		data, err := json.Marshal(v)
		return string(data), err
	},
	"toYaml": func(v any) (string, error) {
		data, err := yaml.Marshal(v)
		return strings.TrimSuffix(string(data), "\n"), err
	},
	"lower": strings.ToLower,
	"trim":  strings.TrimSpace,
	"quote": func(v any) string { return fmt.Sprintf("%q", fmt.Sprint(v)) },
}

func at(v any, path ...string) any {
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}
