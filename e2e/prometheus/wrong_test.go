package prometheus_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gpugen/gpugen/e2e/prometheus"
	"go.yaml.in/yaml/v3"
)

// wrong are forms of one alert that look right.
type wrong struct {
	Alert string `yaml:"alert"`
	// Tests is the file of tests, at least one of which each form fails.
	Tests string `yaml:"tests"`
	Forms []struct {
		Why  string `yaml:"why"`
		Expr string `yaml:"expr"`
		For  string `yaml:"for"`
	} `yaml:"forms"`
}

// The tests of an alert would notice if it were written as many are.
func TestWrongFormsOfAlertsFail(t *testing.T) {
	tree := loadTrees(t)[alerting]
	files, err := filepath.Glob("testdata/wrong/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no wrong forms (%v)", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w wrong
		if err := yaml.Unmarshal(data, &w); err != nil {
			t.Fatal(err)
		}
		tests, err := prometheus.ReadTests(filepath.Join("testdata", w.Tests))
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range w.Forms {
			t.Run(w.Alert+"/"+form.Why, func(t *testing.T) {
				rules := withForm(t, tree, w.Alert, form.Expr, form.For)
				noticed := 0
				for _, test := range tests.Tests {
					problems, err := test.Run(rules, time.Duration(tests.EvaluationInterval))
					if err != nil {
						t.Fatal(err)
					}
					if len(problems) > 0 {
						noticed++
						t.Logf("fails %q", test.Name)
					}
				}
				if noticed == 0 {
					t.Error("no test notices")
				}
			})
		}
	}
}

// withForm writes the tree's rules to a file, with one alert in another form.
func withForm(t *testing.T, tree *prometheus.Tree, alert, expr, wait string) string {
	t.Helper()
	for _, rules := range tree.Rules {
		var spec struct {
			Groups []struct {
				Name  string           `yaml:"name"`
				Rules []map[string]any `yaml:"rules"`
			} `yaml:"groups"`
		}
		if err := yaml.Unmarshal(rules, &spec); err != nil {
			t.Fatal(err)
		}
		for _, group := range spec.Groups {
			for _, rule := range group.Rules {
				if rule["alert"] == alert {
					rule["expr"] = expr
					delete(rule, "for")
					if wait != "" {
						rule["for"] = wait
					}
					data, err := yaml.Marshal(spec)
					if err != nil {
						t.Fatal(err)
					}
					file := filepath.Join(t.TempDir(), "rules.yaml")
					if err := os.WriteFile(file, data, 0o644); err != nil {
						t.Fatal(err)
					}
					return file
				}
			}
		}
	}
	t.Fatalf("there is no alert %s", alert)
	return ""
}
