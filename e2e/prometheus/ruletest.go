package prometheus

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"go.yaml.in/yaml/v3"
)

// Tests is a file of unit tests: series over time, and which alerts fire when. It
// is what of promtool's format is needed here, so that `promtool test rules` can
// read the same files.
type Tests struct {
	RuleFiles          []string       `yaml:"rule_files"`
	EvaluationInterval model.Duration `yaml:"evaluation_interval"`
	Tests              []Test         `yaml:"tests"`
}

// Test is one course of events.
type Test struct {
	Name        string         `yaml:"name"`
	Interval    model.Duration `yaml:"interval"`
	InputSeries []struct {
		Series string `yaml:"series"`
		Values string `yaml:"values"`
	} `yaml:"input_series"`
	Alerts []AlertTest `yaml:"alert_rule_test"`
}

// AlertTest says which alerts of a name fire at a time; none, if none is named.
type AlertTest struct {
	At       model.Duration `yaml:"eval_time"`
	Name     string         `yaml:"alertname"`
	Expected []struct {
		Labels      map[string]string `yaml:"exp_labels"`
		Annotations map[string]string `yaml:"exp_annotations"`
	} `yaml:"exp_alerts"`
}

// ReadTests reads a file of tests.
func ReadTests(file string) (*Tests, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var tests Tests
	if err := decoder.Decode(&tests); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return &tests, nil
}

// Run evaluates the rules over the test's series as a server would, and returns
// what is other than expected.
func (t *Test) Run(ruleFile string, every time.Duration) (problems []string, err error) {
	loader, err := promqltest.NewLazyLoader(t.load(), promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = firstOf(err, loader.Close()) }()
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc:  rules.EngineQueryFunc(loader.QueryEngine(), loader.Storage()),
		Appendable: loader.Storage(),
		Context:    context.Background(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {},
		Parser:     newParser(),
	})
	groups, errs := manager.LoadGroups(every, labels.EmptyLabels(), "", nil, false, ruleFile)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	var end time.Duration
	for _, a := range t.Alerts {
		end = max(end, time.Duration(a.At))
	}
	for at := time.Duration(0); at <= end; at += every {
		now := time.Unix(0, 0).UTC().Add(at)
		loader.WithSamplesTill(now, func(e error) {
			err = firstOf(err, e)
			for _, g := range groups {
				g.Eval(loader.Context(), now)
				for _, r := range g.Rules() {
					err = firstOf(err, r.LastError())
				}
			}
		})
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", at, err)
		}
		for _, a := range t.Alerts {
			if time.Duration(a.At) >= at && time.Duration(a.At) < at+every {
				problems = append(problems, a.compare(groups)...)
			}
		}
	}
	return problems, nil
}

// load is the series in the language of promqltest.
func (t *Test) load() string {
	var b strings.Builder
	fmt.Fprintf(&b, "load %s\n", t.Interval)
	for _, s := range t.InputSeries {
		fmt.Fprintf(&b, "  %s %s\n", s.Series, s.Values)
	}
	return b.String()
}

// compare looks at the alerts that fire now.
func (a *AlertTest) compare(groups map[string]*rules.Group) []string {
	known := false
	var got []string
	firing := map[string]*rules.Alert{}
	for _, g := range groups {
		for _, r := range g.Rules() {
			alerting, ok := r.(*rules.AlertingRule)
			if !ok || alerting.Name() != a.Name {
				continue
			}
			known = true
			for _, alert := range alerting.ActiveAlerts() {
				if alert.State == rules.StateFiring {
					got = append(got, alert.Labels.String())
					firing[alert.Labels.String()] = alert
				}
			}
		}
	}
	if !known {
		return []string{fmt.Sprintf("there is no alert %s", a.Name)}
	}
	var want, problems []string
	for _, e := range a.Expected {
		set := labels.NewBuilder(labels.FromMap(e.Labels)).Set(labels.AlertName, a.Name).Labels().String()
		want = append(want, set)
		if alert := firing[set]; alert != nil {
			for name, text := range e.Annotations {
				if is := alert.Annotations.Get(name); is != text {
					problems = append(problems, fmt.Sprintf("%s at %s: %s is %q, not %q", a.Name, a.At, name, is, text))
				}
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		problems = append(problems, fmt.Sprintf("%s at %s\n  fires: %s\n  want:  %s", a.Name, a.At, strings.Join(got, "\n         "), strings.Join(want, "\n         ")))
	}
	return problems
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
