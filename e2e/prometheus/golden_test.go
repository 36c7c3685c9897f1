package prometheus_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gpugen/gpugen/e2e/prometheus"
)

const goldenDir = "../../golden"

// alerting is the tree whose alerts are tested one by one.
const alerting = "onprem-h100"

func loadTrees(t *testing.T) map[string]*prometheus.Tree {
	t.Helper()
	roots, err := filepath.Glob(filepath.Join(goldenDir, "*", "root.yaml"))
	if err != nil || len(roots) == 0 {
		t.Fatalf("no golden tree in %s (%v)", goldenDir, err)
	}
	trees := map[string]*prometheus.Tree{}
	for _, root := range roots {
		dir := filepath.Dir(root)
		tree, err := prometheus.Load(dir)
		if err != nil {
			t.Fatalf("%s: %v", dir, err)
		}
		trees[filepath.Base(dir)] = tree
	}
	return trees
}

func TestRulesOfGoldenTreesParse(t *testing.T) {
	for name, tree := range loadTrees(t) {
		for key, file := range tree.Rules {
			if _, err := prometheus.ParseRules(file); err != nil {
				t.Errorf("%s: %s: %v", name, key, err)
			}
		}
	}
}

func TestRulesAskForWhatTheExporterExports(t *testing.T) {
	for name, tree := range loadTrees(t) {
		for key, file := range tree.Rules {
			groups, err := prometheus.ParseRules(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range groups.Groups {
				for _, rule := range group.Rules {
					missing, err := tree.Missing(rule.Expr)
					if err != nil || len(missing) > 0 {
						t.Errorf("%s: %s: %s%s: not exported: %v (%v)", name, key, rule.Alert, rule.Record, missing, err)
					}
				}
			}
		}
	}
}

// rulesOf writes the alerting tree's rules to a file, as a server would have them.
func rulesOf(t *testing.T, tree *prometheus.Tree) string {
	t.Helper()
	if len(tree.Rules) != 1 {
		t.Fatalf("%s has %d PrometheusRules, want 1", alerting, len(tree.Rules))
	}
	file := filepath.Join(t.TempDir(), "rules.yaml")
	for _, rules := range tree.Rules {
		if err := os.WriteFile(file, rules, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	tree := loadTrees(t)[alerting]
	rules := rulesOf(t, tree)
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests (%v)", err)
	}
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		tests, err := prometheus.ReadTests(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range tests.Tests {
			t.Run(filepath.Base(file)+"/"+test.Name, func(t *testing.T) {
				problems, err := test.Run(rules, time.Duration(tests.EvaluationInterval))
				if err != nil {
					t.Fatal(err)
				}
				for _, problem := range problems {
					t.Error(problem)
				}
			})
			for _, a := range test.Alerts {
				fires[a.Name] = fires[a.Name] || len(a.Expected) > 0
				silent[a.Name] = silent[a.Name] || len(a.Expected) == 0
			}
		}
	}
	for _, rules := range tree.Rules {
		groups, err := prometheus.ParseRules(rules)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range groups.Groups {
			for _, rule := range group.Rules {
				if rule.Alert != "" && (!fires[rule.Alert] || !silent[rule.Alert]) {
					t.Errorf("%s: no test in which it fires, or none in which it must not", rule.Alert)
				}
			}
		}
	}
}
