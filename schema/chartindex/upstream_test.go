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

// committed lists the chart versions whose index is part of gpugen.
func committed(t *testing.T) []chart {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(chartsDir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no index in %s (%v)", chartsDir, err)
	}
	var out []chart
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		x, err := chartindex.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, chart{x.Chart.Name, x.Chart.Version, file})
	}
	return out
}

const chartsDir = "../facts/charts"

type chart struct{ name, version, file string }

// A chart version without its index would be one whose values nobody checks.
func TestEachChartVersionHasItsIndex(t *testing.T) {
	facts, err := filepath.Glob(filepath.Join(chartsDir, "*-*.cue"))
	if err != nil || len(facts) == 0 {
		t.Fatalf("no charts in %s (%v)", chartsDir, err)
	}
	indexes := map[string]bool{}
	for _, c := range committed(t) {
		indexes[c.file] = true
		if want := filepath.Join(chartsDir, c.name+"-"+c.version+".json"); c.file != want {
			t.Errorf("%s is the index of %s %s, so it belongs into %s", c.file, c.name, c.version, want)
		}
	}
	for _, file := range facts {
		index := strings.TrimSuffix(file, ".cue") + ".json"
		if !indexes[index] {
			t.Errorf("%s has no index: gpugen-chart index DIR > %s", file, index)
		}
		delete(indexes, index)
	}
	for _, file := range slices.Sorted(maps.Keys(indexes)) {
		t.Errorf("%s is the index of a chart version that has no %s.cue", file, strings.TrimSuffix(file, ".json"))
	}
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
	for _, c := range committed(t) {
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

// withoutUpstream are sub-charts whose values are not among the upstream data: what
// the index says of them is not compared.
var withoutUpstream = map[string]string{"volcano 1.15.1": "jobflow"}

// uncollected are charts that are not among the upstream data, and where their index was
// made of: `gpugen-chart index` of that directory gives the file again.
var uncollected = map[string]string{
	"aws-efa-k8s-device-plugin v0.5.30": "https://github.com/aws/eks-charts/tree/master/stable/aws-efa-k8s-device-plugin (read 2026-11)",
}

func collected(t *testing.T, c chart) {
	t.Helper()
	if at, ok := uncollected[c.name+" "+c.version]; ok {
		t.Skip("not among the upstream data: " + at)
	}
}

// TestIndexesHaveEveryDefaultOfTheChartAndNoOther flattens the values files on its
// own.
func TestIndexesHaveEveryDefaultOfTheChartAndNoOther(t *testing.T) {
	for _, c := range committed(t) {
		t.Run(c.name+" "+c.version, func(t *testing.T) {
			collected(t, c)
			dir := upstreamtest.Dir(t, c.name, c.version)
			want := map[string]string{}
			flatten(want, "", parse(t, filepath.Join(dir, "values.yaml")), "values")
			missing := withoutUpstream[c.name+" "+c.version]
			for key, file := range subcharts(t, dir) {
				if key != missing {
					flatten(want, "/"+key, parse(t, file), "subchart")
				}
			}
			got := map[string]string{}
			for path, v := range read(t, c.name, c.version).Paths() {
				if missing != "" && path[0] == missing {
					continue
				}
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
	for _, c := range committed(t) {
		t.Run(c.name+" "+c.version, func(t *testing.T) {
			collected(t, c)
			want := map[string]chartindex.CRD{}
			for _, dir := range crdDirs(t, c) {
				maps.Copy(want, upstreamCRDs(t, dir))
			}
			got := map[string]chartindex.CRD{}
			for _, crd := range read(t, c.name, c.version).CRDs {
				got[crd.Name] = crd
				if _, ok := want[crd.Name]; !ok && crd.Source == chartindex.FromCRDs {
					t.Errorf("%s: the chart has no such CRD", crd.Name)
				}
			}
			for name, crd := range want {
				if got[name].Source != chartindex.FromCRDs {
					// A template makes it; how long it is, depends on the values.
					crd.Source, crd.Bytes = got[name].Source, got[name].Bytes
				}
				if !reflect.DeepEqual(got[name], crd) {
					t.Errorf("got %+v, want %+v", got[name], crd)
				}
			}
		})
	}
}

// crdDirs are the directories of CRDs of a chart and of its sub-charts.
func crdDirs(t *testing.T, c chart) []string {
	t.Helper()
	dir := upstreamtest.Dir(t, c.name, c.version)
	dirs := []string{filepath.Join(dir, "crds")}
	about := parse(t, filepath.Join(dir, "Chart.yaml")).(map[string]any)
	dependencies, _ := about["dependencies"].([]any)
	for _, d := range dependencies {
		dependency := d.(map[string]any)
		dirs = append(dirs, filepath.Join(dir, "..", "..", dependency["name"].(string), dependency["version"].(string), "crds"))
	}
	return slices.DeleteFunc(dirs, func(dir string) bool {
		_, err := os.Stat(dir)
		return err != nil
	})
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
