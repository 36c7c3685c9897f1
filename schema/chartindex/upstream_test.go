package chartindex_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// charts are the chart versions whose index is part of gpugen.
var charts = []struct{ name, version string }{
	{"dcgm-exporter", "4.8.2"},
	{"gpu-operator", "v26.3.3"},
	{"node-feature-discovery", "0.19.0"},
	{"nvidia-device-plugin", "0.20.0"},
}

func read(t *testing.T, name, version string) *chartindex.Index {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "facts", "charts", name+"-"+version+".json"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := chartindex.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if x.Chart.Name != name || x.Chart.Version != version {
		t.Fatalf("the index of %s %s is that of %s %s", name, version, x.Chart.Name, x.Chart.Version)
	}
	return x
}

func TestCommittedIndexesAreInTheirOwnForm(t *testing.T) {
	for _, c := range charts {
		data, err := os.ReadFile(filepath.Join("..", "facts", "charts", c.name+"-"+c.version+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if string(read(t, c.name, c.version).JSON()) != string(data) {
			t.Errorf("%s %s: writing the index changes the file", c.name, c.version)
		}
		if limit := 150 << 10; len(data) > limit {
			t.Errorf("%s %s: %d bytes, more than %d", c.name, c.version, len(data), limit)
		}
	}
}

// TestIndexesHaveEveryDefaultOfTheChartAndNoOther flattens the values files on its
// own.
func TestIndexesHaveEveryDefaultOfTheChartAndNoOther(t *testing.T) {
	for _, c := range charts {
		t.Run(c.name, func(t *testing.T) {
			dir := upstreamtest.Dir(t, c.name, c.version)
			want := map[string]string{}
			flatten(want, "", parse(t, filepath.Join(dir, "values.yaml")), "values")
			for key, file := range subcharts(t, dir) {
				flatten(want, "/"+key, parse(t, file), "subchart")
			}
			got := map[string]string{}
			for path, v := range read(t, c.name, c.version).Paths() {
				if v.Origin == chartindex.OriginValues || v.Origin == chartindex.OriginSubchart {
					got[path.Pointer()] = string(v.Origin) + " " + string(v.Type)
				}
			}
			for path, wanted := range want {
				if got[path] != wanted {
					t.Errorf("%s: got %q, values.yaml says %q", path, got[path], wanted)
				}
			}
			for path := range got {
				if want[path] == "" {
					t.Errorf("%s: no values.yaml has it", path)
				}
			}
			t.Logf("%d paths", len(want))
		})
	}
}

func parse(t *testing.T, file string) any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var x any
	if err := yaml.Unmarshal(data, &x); err != nil {
		t.Fatal(err)
	}
	return x
}

var pointerKey = strings.NewReplacer("~", "~0", "/", "~1")

// flatten notes the origin and type of every path, where none is noted yet.
func flatten(into map[string]string, at string, x any, origin string) {
	if at != "" && into[at] == "" {
		into[at] = origin + " " + typeOf(x)
	}
	table, _ := x.(map[string]any)
	for key, value := range table {
		flatten(into, at+"/"+pointerKey.Replace(key), value, origin)
	}
}

func typeOf(x any) string {
	switch n := x.(type) {
	case nil:
		return "unknown"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if n == float64(int64(n)) {
			return "integer"
		}
		return "number"
	}
	return "?"
}

// subcharts returns the values file of each sub-chart by the key of its values.
func subcharts(t *testing.T, dir string) map[string]string {
	t.Helper()
	about := parse(t, filepath.Join(dir, "Chart.yaml")).(map[string]any)
	out := map[string]string{}
	dependencies, _ := about["dependencies"].([]any)
	for _, d := range dependencies {
		dependency := d.(map[string]any)
		key, _ := dependency["alias"].(string)
		if key == "" {
			key = dependency["name"].(string)
		}
		out[key] = filepath.Join(dir, "subcharts", dependency["name"].(string), "values.yaml")
	}
	return out
}

func TestIndexesHaveTheCRDsOfTheCharts(t *testing.T) {
	for chart, from := range map[string]string{
		"gpu-operator": "gpu-operator/v26.3.3", "node-feature-discovery": "node-feature-discovery/0.19.0",
		// Its CRDs are those of its sub-chart.
		"nvidia-device-plugin": "node-feature-discovery/0.19.0",
		"dcgm-exporter":        "",
	} {
		t.Run(chart, func(t *testing.T) {
			want := map[string]chartindex.CRD{}
			if from != "" {
				want = upstreamCRDs(t, upstreamtest.Dir(t, filepath.FromSlash(from), "crds"))
			}
			got := map[string]chartindex.CRD{}
			for _, c := range charts {
				if c.name != chart {
					continue
				}
				for _, crd := range read(t, c.name, c.version).CRDs {
					if crd.Source == chartindex.FromCRDs {
						got[crd.Name] = crd
					}
				}
			}
			if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
				t.Errorf("got %v, want %v", names, slices.Sorted(maps.Keys(want)))
			}
			for name, crd := range want {
				if !reflect.DeepEqual(got[name], crd) {
					t.Errorf("got %+v, want %+v", got[name], crd)
				}
			}
		})
	}
}

var separator = regexp.MustCompile(`(?m)^---\s*$`)

func upstreamCRDs(t *testing.T, dir string) map[string]chartindex.CRD {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs in %s: %v", dir, err)
	}
	out := map[string]chartindex.CRD{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range separator.Split(string(data), -1) {
			var x map[string]any
			if err := yaml.Unmarshal([]byte(text), &x); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if x == nil {
				continue
			}
			compact, err := json.Marshal(x)
			if err != nil {
				t.Fatal(err)
			}
			spec := x["spec"].(map[string]any)
			names := spec["names"].(map[string]any)
			crd := chartindex.CRD{
				Name: x["metadata"].(map[string]any)["name"].(string), Group: spec["group"].(string),
				Kind: names["kind"].(string), Plural: names["plural"].(string), Scope: chartindex.Scope(spec["scope"].(string)),
				Source: chartindex.FromCRDs, Bytes: len(compact),
			}
			for _, v := range spec["versions"].([]any) {
				if version := v.(map[string]any); version["served"].(bool) {
					crd.Versions = append(crd.Versions, version["name"].(string))
				}
			}
			out[crd.Name] = crd
		}
	}
	return out
}
