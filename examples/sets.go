package examples

import (
	"errors"
	"fmt"

	"github.com/gpugen/gpugen/generators/appset"
)

// elements are the parameters of list generators; an error is appset.ErrUnknown, where a set
// has another generator.
func elements(set map[string]any) ([]map[string]any, error) {
	spec, _ := set["spec"].(map[string]any)
	generators, _ := spec["generators"].([]any)
	var out []map[string]any
	for _, g := range generators {
		generator, _ := g.(map[string]any)
		list, ok := generator["list"].(map[string]any)
		if !ok || list["elementsYaml"] != nil || list["template"] != nil || generator["selector"] != nil {
			return nil, fmt.Errorf("a generator that is no plain list: %w", appset.ErrUnknown)
		}
		listed, _ := list["elements"].([]any)
		for _, e := range listed {
			one, ok := e.(map[string]any)
			if !ok {
				return nil, errors.New("an element is no mapping")
			}
			out = append(out, one)
		}
	}
	return out, nil
}

// Applications are what a set makes of its list generators.
func Applications(set map[string]any) ([]map[string]any, error) {
	all, err := elements(set)
	if err != nil {
		return nil, err
	}
	var out []map[string]any
	for _, parameters := range all {
		app, err := appset.Application(set, parameters)
		if err != nil {
			return nil, err
		}
		out = append(out, app)
	}
	return out, nil
}
