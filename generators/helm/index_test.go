package helm

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// TestIndexFindsWhatEachChartReadsAndRenders runs the charts of testdata. A file
// holds a chart and, under want/, what must be in its index: in the sections that
// it has, every line and no other.
func TestIndexFindsWhatEachChartReadsAndRenders(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no charts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			dir, want := unpack(t, file)
			x, err := Index(dir)
			if err != nil {
				t.Fatal(err)
			}
			got := sections(x)
			if len(want) == 0 {
				t.Error("the file wants nothing")
			}
			for name, lines := range want {
				if !slices.Equal(got[name], lines) {
					t.Errorf("%s:\n  got\n%s\n  want\n%s", name, strings.Join(got[name], "\n"), strings.Join(lines, "\n"))
				}
			}
		})
	}
}

// unpack writes the chart of a file into a directory.
func unpack(t *testing.T, file string) (dir string, want map[string][]string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	chart := map[string]string{"Chart.yaml": "apiVersion: v2\nname: demo\nversion: 1.2.3\nappVersion: \"9.8\"\n"}
	want = map[string][]string{}
	for _, f := range archive.Files {
		if section, ok := strings.CutPrefix(f.Name, "want/"); ok {
			want[section] = []string{}
			for line := range strings.Lines(string(f.Data)) {
				want[section] = append(want[section], strings.TrimSpace(line))
			}
		} else {
			chart[f.Name] = string(f.Data)
		}
	}
	return writeChart(t, chart), want
}

func writeChart(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sections writes an index in the words of the want/ sections.
func sections(x *chartindex.Index) map[string][]string {
	out := map[string][]string{"values": {}, "objects": {}, "hooks": {}, "crds": {}, "dynamic": {}, "subcharts": {}, "images": {}}
	add := func(section string, words ...any) {
		line := strings.Join(strings.Fields(fmt.Sprintln(words...)), " ")
		out[section] = append(out[section], line)
	}
	for _, v := range x.Values {
		flags := []string{}
		for flag, on := range map[string]bool{"open": v.Open, "ranged": v.Ranged, "nonEmpty": v.NonEmpty, "unread": v.Unread, "required": v.Required} {
			if on {
				flags = append(flags, flag)
			}
		}
		if v.Elements != "" {
			flags = append(flags, "of:"+string(v.Elements))
		}
		for _, accepted := range v.Accepts {
			flags = append(flags, "accepts:"+string(accepted))
		}
		slices.Sort(flags)
		add("values", v.Path.Pointer(), v.Type, v.Origin, strings.Join(flags, " "))
	}
	for _, o := range x.Objects {
		words := []any{o.APIVersion, o.Kind, o.Scope}
		for _, namespace := range o.Namespaces {
			words = append(words, "in:"+namespace)
		}
		for _, from := range o.NamespacesFrom {
			words = append(words, "from:"+from.Pointer())
		}
		add("objects", words...)
	}
	for _, h := range x.Hooks {
		add("hooks", h.Kind, h.Name, strings.Join(h.Events, ","), "weight:"+h.Weight, strings.Join(h.DeletePolicies, ","))
	}
	for _, c := range x.CRDs {
		add("crds", c.Name, c.Group, c.Kind, c.Plural, c.Scope, strings.Join(c.Versions, ","), c.Source)
	}
	for _, d := range x.Dynamic {
		add("dynamic", d.Template, d.Path.Pointer())
	}
	for _, i := range x.Images {
		add("images", i.Path.Pointer(), i.Image)
	}
	for _, s := range x.Subcharts {
		add("subcharts", s.Path.Pointer(), s.Name, s.Version, s.Condition)
	}
	return out
}

func TestIndexSaysWhatIsWrongWithAChart(t *testing.T) {
	const header = "apiVersion: v2\nname: demo\nversion: 1.2.3\n"
	const needs = "dependencies:\n- {name: sub, version: 2.x.x, repository: \"https://example.com\"}\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"no Chart.yaml":       {map[string]string{"values.yaml": "a: 1\n"}, []string{"is not a Helm chart", "Chart.yaml file is missing"}},
		"unreadable values":   {map[string]string{"Chart.yaml": header, "values.yaml": "a: [\n"}, []string{"is not a Helm chart", "values.yaml"}},
		"unreadable template": {map[string]string{"Chart.yaml": header, "templates/a.yaml": "x: 1\n{{ if .Values.a }}\ny: 1\n"}, []string{"demo/templates/a.yaml:4", "unexpected EOF"}},
		"unreadable helper":   {map[string]string{"Chart.yaml": header, "templates/_h.tpl": "{{ define \"h\" }}\n{{ .Values.a }{{ end }}"}, []string{"demo/templates/_h.tpl:2", "unexpected \"}\""}},
		"missing dependency":  {map[string]string{"Chart.yaml": header + needs}, []string{"missing dependency", "demo needs sub 2.x.x", "charts/ has none"}},
		"dependency of another version": {
			map[string]string{"Chart.yaml": header + needs, "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n"},
			[]string{"missing dependency", "sub 2.x.x", "charts/ has 1.0.0"},
		},
		"unreadable CRD": {map[string]string{"Chart.yaml": header, "crds/a.yaml": "a: [\n"}, []string{"demo/crds/a.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := Index(writeChart(t, test.files))
			if err == nil {
				t.Fatalf("got an index: %s", x.JSON())
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
		})
	}
	if _, err := Index(filepath.Join(t.TempDir(), "absent")); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("absent file: %v", err)
	}
}

func TestIndexOfAnArchiveIsThatOfItsDirectory(t *testing.T) {
	dir, _ := unpack(t, "testdata/subcharts.txtar")
	fromDir, err := Index(dir)
	if err != nil {
		t.Fatal(err)
	}
	chart, err := loader.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := chartutil.Save(chart, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	fromArchive, err := Index(archive)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fromDir.JSON(), fromArchive.JSON()) {
		t.Errorf("directory:\n%s\narchive:\n%s", fromDir.JSON(), fromArchive.JSON())
	}
}

func TestIndexIsTheSameEveryTime(t *testing.T) {
	for _, file := range []string{"testdata/subcharts.txtar", "testdata/access.txtar", "testdata/objects.txtar"} {
		dir, _ := unpack(t, file)
		var first []byte
		for range 20 {
			x, err := Index(dir)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = x.JSON()
			}
			if !bytes.Equal(first, x.JSON()) {
				t.Fatalf("%s: two indexes differ", file)
			}
		}
	}
}

// TestDefaultsAreMergedAsHelmDoes lets Helm merge the same chart.
func TestDefaultsAreMergedAsHelmDoes(t *testing.T) {
	dir, _ := unpack(t, "testdata/subcharts.txtar")
	u, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	chart, err := loader.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	// With every condition on, Helm keeps all sub-charts.
	on := map[string]any{"sub": map[string]any{"enabled": true}, "other": map[string]any{"enabled": true}}
	if err := chartutil.ProcessDependencies(chart, on); err != nil {
		t.Fatal(err)
	}
	merged, err := chartutil.CoalesceValues(chart, nil)
	if err != nil {
		t.Fatal(err)
	}
	var compare func(path string, n *node, want any)
	compare = func(path string, n *node, want any) {
		table, isTable := want.(map[string]any)
		if !isTable {
			if fmt.Sprint(n.def) != fmt.Sprint(want) {
				t.Errorf("%s: got %v, Helm says %v", path, n.def, want)
			}
			return
		}
		for key, value := range table {
			// Helm writes an empty table of globals into every chart.
			if child := n.children[key]; child != nil {
				compare(path+"/"+key, child, value)
			} else if key != globalKey {
				t.Errorf("%s/%s: missing", path, key)
			}
		}
	}
	compare("", u.values, merged.AsMap())
	if len(merged) < 3 {
		t.Errorf("Helm merged next to nothing: %v", merged)
	}
}
