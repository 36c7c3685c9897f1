package prometheus_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/e2e/prometheus"
	"github.com/prometheus/prometheus/model/labels"
)

func TestDashboardsOfGoldenTreesAreSound(t *testing.T) {
	for name, tree := range loadTrees(t) {
		for file, text := range tree.Dashboards {
			d, err := prometheus.ReadDashboard(text)
			if err != nil {
				t.Errorf("%s: %s: %v", name, file, err)
				continue
			}
			for _, p := range d.Panels {
				for _, target := range p.Targets {
					missing, err := tree.Missing(prometheus.Shown(target.Expr))
					if err != nil || len(missing) > 0 {
						t.Errorf("%s: %s: %s: not exported: %v (%v)", name, file, p.Title, missing, err)
					}
				}
			}
		}
	}
}

// dashboard of the alerting tree.
func dashboard(t *testing.T) *prometheus.Dashboard {
	t.Helper()
	tree := loadTrees(t)[alerting]
	if len(tree.Dashboards) != 1 {
		t.Fatalf("%s has %d dashboards, want 1", alerting, len(tree.Dashboards))
	}
	for _, text := range tree.Dashboards {
		d, err := prometheus.ReadDashboard(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return nil
}

func series(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("testdata/cluster.promql")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEachPanelShowsSomething(t *testing.T) {
	data := series(t)
	for _, p := range dashboard(t).Panels {
		for _, target := range p.Targets {
			got, err := prometheus.Query(data, prometheus.Shown(target.Expr), 75*time.Minute)
			if err != nil {
				t.Errorf("%s: %s: %v", p.Title, target.RefID, err)
				continue
			}
			if len(got) == 0 {
				t.Errorf("%s: %s shows nothing", p.Title, target.RefID)
			}
			names := map[string]bool{}
			for _, sample := range got {
				if max := p.FieldConfig.Defaults.Max; sample.F < 0 || max != nil && sample.F > *max {
					t.Errorf("%s: %s: %v is out of its scale", p.Title, target.RefID, sample)
				}
				legend := target.Legend
				sample.Metric.Range(func(l labels.Label) { legend = strings.ReplaceAll(legend, "{{"+l.Name+"}}", l.Value) })
				if names[legend] && p.Type == "timeseries" {
					t.Errorf("%s: two lines are called %q", p.Title, legend)
				}
				names[legend] = true
			}
		}
	}
}

// The numbers of the synthetic cluster, counted by hand.
func TestPanelsCountRight(t *testing.T) {
	want := map[string]map[string]float64{
		"GPUs and slices":             {"": 9},
		"Held by Pods":                {"": 6},
		"Free":                        {"": 3},
		"Held and idle for an hour":   {"": 2},
		"GPUs with Xid errors":        {"": 1},
		"Held, by pool":               {"train": 3, "inference": 2, "notebooks": 1},
		"Held, by namespace":          {"research": 3, "product": 3},
		"Power, by node":              {"train-1": 1320, "train-2": 90, "infer-1": 300, "notebook-1": 210},
		"Hottest GPU, by node":        {"train-1": 63, "train-2": 34, "infer-1": 52, "notebook-1": 45},
		"Activity, by node":           {"train-1": 1.7 / 3, "train-2": 0, "infer-1": 0.4 / 3, "notebook-1": 0.05},
		"Activity, by pool":           {"train": 1.7 / 4, "inference": 0.4 / 3, "notebooks": 0.05},
		"Activity of what is held":    {"": 2.2 / 6},
		"Memory, by pool":             {"train": 140904. / (140904 + 183100), "inference": 12010. / (12010 + 46600), "notebooks": 30010. / (30010 + 132000)},
		"Throttled by heat or power":  {"train-2 GPU 0 hw_thermal": 4},
		"Memory errors/uncorrectable": {"": 2},
	}
	data := series(t)
	for _, p := range dashboard(t).Panels {
		for _, target := range p.Targets {
			numbers, ok := want[p.Title]
			if p.Type == "table" {
				numbers, ok = want[p.Title+"/"+target.Legend]
			}
			if !ok {
				continue
			}
			got, err := prometheus.Query(data, prometheus.Shown(target.Expr), 75*time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, sample := range got {
				legend := target.Legend
				if p.Type == "table" {
					if sample.Metric.Get("Hostname") != "train-2" {
						continue
					}
					legend = ""
				}
				sample.Metric.Range(func(l labels.Label) { legend = strings.ReplaceAll(legend, "{{"+l.Name+"}}", l.Value) })
				seen[legend] = true
				if is, ok := numbers[legend]; !ok || is-sample.F > 1e-9 || sample.F-is > 1e-9 {
					t.Errorf("%s: %q is %v, want %v", p.Title, legend, sample.F, is)
				}
			}
			if p.Type == "timeseries" && len(p.Targets) == 1 && len(seen) < len(numbers) {
				t.Errorf("%s: shows %v, want %v", p.Title, seen, numbers)
			}
		}
	}
}

func TestASeededFaultInADashboardIsFound(t *testing.T) {
	tree := loadTrees(t)[alerting]
	for _, text := range tree.Dashboards {
		for _, fault := range []struct{ name, old, new string }{
			{"a variable that nobody declares", `=~\"$node\"`, `=~\"$nodes\"`},
			{"a query that does not parse", `avg by (Hostname) (`, `avg by (Hostname) ((`},
			{"panels over each other", `"x": 8,`, `"x": 7,`},
			{"a panel that sticks out", `"w": 12,`, `"w": 13,`},
			{"a doubled id", `"id": 102,`, `"id": 101,`},
		} {
			broken := strings.ReplaceAll(text, fault.old, fault.new)
			if broken == text {
				t.Errorf("%s: nothing to break", fault.name)
			}
			if _, err := prometheus.ReadDashboard(broken); err == nil {
				t.Errorf("%s is not found", fault.name)
			}
		}
	}
}
