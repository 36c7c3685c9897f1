// Package prometheus judges the monitoring of rendered trees by Prometheus' own
// code: rules and queries are parsed and evaluated as a server would. It needs no
// network, and must not hold rules of its own.
package prometheus

import (
	"encoding/csv"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/examples"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

// Tree is what the judge looks at of a rendered tree.
type Tree struct {
	// Rules are the files that the Prometheus Operator would make of the
	// PrometheusRules, by the key of the object.
	Rules map[string][]byte
	// Counters are the metrics that the exporter is told to export; empty where
	// it is left to itself.
	Counters []string
	// Dashboards are what Grafana's sidecar finds, by file name.
	Dashboards map[string]string
}

// Load reads a rendered tree.
func Load(dir string) (*Tree, error) {
	objects, err := examples.LoadTree(dir)
	if err != nil {
		return nil, err
	}
	tree := &Tree{Rules: map[string][]byte{}, Dashboards: map[string]string{}}
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		object, _ := objects[key].(map[string]any)
		switch {
		case strings.HasPrefix(key, "PrometheusRule/"):
			if tree.Rules[key], err = yaml.Marshal(object["spec"]); err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
		case strings.HasPrefix(key, "ConfigMap/"):
			data, _ := object["data"].(map[string]any)
			for file, text := range data {
				if text, ok := text.(string); ok && isDashboard(file) {
					tree.Dashboards[file] = text
				}
			}
			for _, file := range []string{"dcgm-metrics.csv", "metrics"} {
				text, ok := data[file].(string)
				if !ok {
					continue
				}
				counters, err := readCounters(text)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", key, file, err)
				}
				tree.Counters = append(tree.Counters, counters...)
			}
		}
	}
	return tree, nil
}

// readCounters reads a list of counters as the exporter does, which does not
// start if a row has not three columns.
func readCounters(text string) ([]string, error) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comment = '#'
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, err
	}
	var counters []string
	for i, row := range rows {
		if len(row) != 3 {
			return nil, fmt.Errorf("row %d has %d columns, not 3", i+1, len(row))
		}
		counters = append(counters, strings.TrimSpace(row[0]))
	}
	return counters, nil
}

// ParseRules parses a rule file strictly: unknown fields, queries and templates
// that do not parse, and doubled rules are errors.
func ParseRules(file []byte) (*rulefmt.RuleGroups, error) {
	groups, errs := rulefmt.Parse(file, false, model.UTF8Validation, newParser(), slog.New(slog.DiscardHandler))
	return groups, errors.Join(errs...)
}

// fromDCGM matches what only the DCGM exporter exports.
var fromDCGM = regexp.MustCompile(`^DCGM_(FI|EXP)_`)

// Missing lists the counters that a query asks for and the tree's exporter does
// not export.
func (t *Tree) Missing(query string) ([]string, error) {
	var missing []string
	names, err := Metrics(query)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if fromDCGM.MatchString(name) && !slices.Contains(t.Counters, name) {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// Metrics lists the metrics that a query asks for.
func Metrics(query string) ([]string, error) {
	expr, err := newParser().ParseExpr(query)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			names[selector.Name] = true
		}
		return nil
	})
	return slices.Sorted(maps.Keys(names)), nil
}

func newParser() parser.Parser { return parser.NewParser(parser.Options{}) }
