package chartindex

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gpugen/gpugen/schema/diag"
)

// Parse reads what JSON wrote. It refuses unknown fields, unknown words for
// types, origins, scopes and sources, and a path that occurs twice, so that a
// slip in a file that was edited by hand does not pass as a fact.
func Parse(data []byte) (*Index, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	x := &Index{}
	if err := decoder.Decode(x); err != nil {
		return nil, fmt.Errorf("chart index: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("chart index: something follows the index")
	}
	if err := x.check(); err != nil {
		return nil, fmt.Errorf("chart index of %s %s: %w", x.Chart.Name, x.Chart.Version, err)
	}
	return x, nil
}

var (
	knownTypes   = []Type{TypeBoolean, TypeInteger, TypeNumber, TypeString, TypeArray, TypeObject, TypeUnknown}
	knownOrigins = []Origin{OriginValues, OriginSubchart, OriginTemplate, OriginCondition}
	knownScopes  = []Scope{ScopeCluster, ScopeNamespaced, ScopeUnknown}
	knownSources = []CRDSource{FromCRDs, FromTemplates}
)

func (x *Index) check() error {
	if x.Chart.Name == "" || x.Chart.Version == "" {
		return errors.New("name or version of the chart is missing")
	}
	seen := map[string]bool{}
	for _, v := range x.Values {
		at := v.Path.Pointer()
		switch {
		case len(v.Path) == 0:
			return errors.New("a value without a path")
		case seen[at]:
			return fmt.Errorf("value %s occurs twice", at)
		case !slices.Contains(knownTypes, v.Type), v.Elements != "" && !slices.Contains(knownTypes, v.Elements):
			return fmt.Errorf("value %s has an unknown type", at)
		case !slices.Contains(knownOrigins, v.Origin):
			return fmt.Errorf("value %s has an unknown origin %q", at, v.Origin)
		}
		for _, accepted := range v.Accepts {
			if !slices.Contains(knownTypes, accepted) {
				return fmt.Errorf("value %s accepts an unknown type %q", at, accepted)
			}
		}
		seen[at] = true
	}
	for _, o := range x.Objects {
		if !slices.Contains(knownScopes, o.Scope) {
			return fmt.Errorf("kind %s has an unknown scope %q", o.Kind, o.Scope)
		}
	}
	for _, c := range x.CRDs {
		if !slices.Contains(knownScopes, c.Scope) || !slices.Contains(knownSources, c.Source) {
			return fmt.Errorf("CRD %s has an unknown scope %q or source %q", c.Name, c.Scope, c.Source)
		}
	}
	return nil
}

// JSON returns the index as JSON: sorted, one fact a line, the same bytes for the
// same facts. It sorts the lists of the index while at it.
func (x *Index) JSON() []byte {
	x.sort()
	var w writer
	w.raw("{\n\"chart\": ")
	w.value(x.Chart)
	writeList(&w, "subcharts", x.Subcharts)
	writeList(&w, "values", x.Values)
	writeList(&w, "objects", x.Objects)
	writeList(&w, "hooks", x.Hooks)
	writeList(&w, "crds", x.CRDs)
	writeList(&w, "dynamic", x.Dynamic)
	writeList(&w, "images", x.Images)
	w.raw("\n}\n")
	return w.Bytes()
}

type writer struct{ bytes.Buffer }

func (w *writer) raw(s string) { w.WriteString(s) }

// value writes v on one line. Version constraints hold < and >, which stay as
// they are; characters that nobody sees are escaped.
func (w *writer) value(v any) {
	begin := w.Len()
	encoder := json.NewEncoder(&w.Buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		// Strings, numbers and lists of them always encode.
		panic(fmt.Sprintf("chart index: %v", err))
	}
	line := diag.VisibleJSON(bytes.Clone(bytes.TrimSuffix(w.Bytes()[begin:], []byte("\n"))))
	w.Truncate(begin)
	w.Write(line)
}

func writeList[T any](w *writer, name string, list []T) {
	w.raw(",\n\"" + name + "\": [")
	for i, item := range list {
		if i > 0 {
			w.raw(",")
		}
		w.raw("\n")
		w.value(item)
	}
	if len(list) > 0 {
		w.raw("\n")
	}
	w.raw("]")
}
