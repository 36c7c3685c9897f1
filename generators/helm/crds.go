package helm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/schema/chartindex"
)

const crdKind = "CustomResourceDefinition"

// definition is what a CRD says about itself.
type definition struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Group string           `json:"group"`
		Scope chartindex.Scope `json:"scope"`
		Names struct {
			Kind   string `json:"kind"`
			Plural string `json:"plural"`
		} `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Served bool   `json:"served"`
			Schema struct {
				OpenAPIV3Schema *fieldSchema `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// addCRDs fills the CRDs of an index: those of the crds directories and those
// that templates render.
func addCRDs(x *chartindex.Index, u *unit, documents []*document) error {
	found := map[string]chartindex.CRD{}
	u.fields = map[string]map[string]string{}
	for _, sub := range u.all() {
		for _, file := range sub.chart.Files {
			if !strings.HasPrefix(file.Name, "crds/") || !isYAML(file.Name) {
				continue
			}
			for _, text := range splitYAML(file.Data) {
				crd, ok, err := readCRD(text, u.fields)
				if err != nil {
					return fmt.Errorf("%s/%s: %w", sub.path(), file.Name, err)
				}
				if ok {
					crd.Source = chartindex.FromCRDs
					found[crd.Name+string(crd.Source)] = crd
				}
			}
		}
	}
	for _, d := range documents {
		if kinds, _ := d.header(); !slices.Contains(kinds, crdKind) {
			continue
		}
		// Both branches of a condition may stand in the text, so that it need not be
		// valid YAML; then the CRD is among the objects only.
		crd, ok, err := readCRD([]byte(strings.Join(d.body, "\n")), u.fields)
		if err == nil && ok {
			crd.Source = chartindex.FromTemplates
			found[crd.Name+string(crd.Source)] = crd
		}
	}
	for _, crd := range found {
		x.CRDs = append(x.CRDs, crd)
	}
	return nil
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

var documentEnd = regexp.MustCompile(`(?m)^---.*$`)

func splitYAML(data []byte) [][]byte {
	var out [][]byte
	for _, text := range documentEnd.Split(string(data), -1) {
		if strings.TrimSpace(text) != "" {
			out = append(out, []byte(text))
		}
	}
	return out
}

// readCRD reads one YAML document; ok is false if it is something else. Fields of its
// served versions go into fields.
func readCRD(text []byte, fields map[string]map[string]string) (crd chartindex.CRD, ok bool, err error) {
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		return crd, false, err
	}
	var d definition
	if err := json.Unmarshal(data, &d); err != nil || d.Kind != crdKind {
		return crd, false, err
	}
	crd = chartindex.CRD{
		Name: d.Metadata.Name, Group: d.Spec.Group, Kind: d.Spec.Names.Kind, Plural: d.Spec.Names.Plural,
		Scope: d.Spec.Scope, Bytes: len(bytes.TrimSpace(data)),
	}
	for _, v := range d.Spec.Versions {
		if v.Served {
			crd.Versions = append(crd.Versions, v.Name)
			of := map[string]string{}
			v.Schema.OpenAPIV3Schema.leaves("", of)
			fields[crd.Name+" "+v.Name] = of
		}
	}
	return crd, crd.Group != "" && crd.Kind != "", nil
}
