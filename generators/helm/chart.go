package helm

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// unit is a chart at its place in the tree of charts: the chart itself or a
// sub-chart under its alias or name.
type unit struct {
	chart *chart.Chart
	// name is the alias, if there is one: it is what templates see.
	name   string
	parent *unit
	subs   []*unit
	// need is how the parent asks for it; nil for a chart that merely lies in
	// charts/.
	need *chart.Dependency
	// fields of its CRDs, by name and version of the CRD; of the top chart only.
	fields map[string]map[string]string
	// values is where the chart's .Values lie in the tree of all values.
	values *node
}

// load reads a chart from a directory or an archive, with its sub-charts. Unlike
// Helm it keeps the sub-charts that conditions and tags turn off.
func load(file string) (*unit, error) {
	if err := refuseHostile(file); err != nil {
		return nil, fmt.Errorf("%s is not a Helm chart that gpugen reads: %w", file, err)
	}
	loaded, err := loader.Load(file)
	if err != nil {
		return nil, fmt.Errorf("%s is not a Helm chart: %w", file, err)
	}
	u := &unit{chart: loaded, name: loaded.Name(), values: &node{isChart: true}}
	if err := u.addSubcharts(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	u.addDefaults()
	return u, nil
}

func (u *unit) addSubcharts() error {
	present := slices.Clone(u.chart.Dependencies())
	// The loader goes through a map.
	slices.SortFunc(present, func(a, b *chart.Chart) int {
		return cmp.Or(cmp.Compare(a.Name(), b.Name()), cmp.Compare(a.Metadata.Version, b.Metadata.Version))
	})
	wanted := map[*chart.Chart]bool{}
	for _, need := range u.chart.Metadata.Dependencies {
		if need == nil {
			continue
		}
		found, err := u.find(present, need)
		if err != nil {
			return err
		}
		wanted[found] = true
		u.addSubchart(found, cmp.Or(need.Alias, need.Name), need)
	}
	for _, c := range present {
		if !wanted[c] {
			u.addSubchart(c, c.Name(), nil)
		}
	}
	for _, sub := range u.subs {
		if err := sub.addSubcharts(); err != nil {
			return err
		}
	}
	return nil
}

// find returns the chart in charts/ that satisfies a dependency.
func (u *unit) find(present []*chart.Chart, need *chart.Dependency) (*chart.Chart, error) {
	others := []string{}
	for _, c := range present {
		if c.Name() != need.Name {
			continue
		}
		if need.Version == "" || chartutil.IsCompatibleRange(need.Version, c.Metadata.Version) {
			return c, nil
		}
		others = append(others, c.Metadata.Version)
	}
	found := "charts/ has none"
	if len(others) > 0 {
		found = "charts/ has " + strings.Join(others, ", ")
	}
	return nil, fmt.Errorf("missing dependency: chart %s needs %s %s, %s (helm dependency build fetches it)",
		u.chart.Name(), need.Name, need.Version, found)
}

func (u *unit) addSubchart(c *chart.Chart, name string, need *chart.Dependency) {
	values := u.values.make(name)
	values.isChart = true
	u.subs = append(u.subs, &unit{chart: c, name: name, parent: u, need: need, values: values})
}

// addDefaults lays the default values of the chart into the tree, then below
// them those of its sub-charts: what is there already wins, as in Helm.
func (u *unit) addDefaults() {
	origin := chartindex.OriginSubchart
	if u.parent == nil {
		origin = chartindex.OriginValues
	}
	u.values.lay(u.chart.Values, origin)
	for _, sub := range u.subs {
		sub.addDefaults()
		u.importValues(sub)
		u.addSwitches(sub)
	}
}

// importValues lays the values that the parent imports from a sub-chart into the
// parent's.
func (u *unit) importValues(sub *unit) {
	if sub.need == nil {
		return
	}
	for _, wanted := range sub.need.ImportValues {
		from, to := []string{}, []string{}
		switch w := wanted.(type) {
		case string:
			from = append(from, "exports", w)
		case map[string]any:
			from = strings.Split(fmt.Sprint(w["child"]), ".")
			if parent := fmt.Sprint(w["parent"]); parent != "." {
				to = strings.Split(parent, ".")
			}
		}
		source := sub.values.at(from)
		if source == nil {
			continue
		}
		source.switchesAll()
		if table, ok := source.plain().(map[string]any); ok {
			u.values.makeAll(to).lay(table, chartindex.OriginSubchart)
		}
	}
}

// switchesAll notes that Helm itself reads what lies at and below the node.
func (n *node) switchesAll() {
	n.switches = true
	for _, child := range n.children {
		child.switchesAll()
	}
}

// addSwitches makes the values that turn a sub-chart on and off known.
func (u *unit) addSwitches(sub *unit) {
	if sub.need == nil {
		return
	}
	root := u
	for root.parent != nil {
		root = root.parent
	}
	for condition := range strings.SplitSeq(sub.need.Condition, ",") {
		if condition = strings.TrimSpace(condition); condition != "" {
			u.values.makeAll(strings.Split(condition, ".")).switches = true
		}
	}
	for _, tag := range sub.need.Tags {
		root.values.makeAll([]string{"tags", tag}).switches = true
	}
}

// path is what Helm calls the chart's full path; the names of its templates
// start with it.
func (u *unit) path() string {
	if u.parent == nil {
		return u.name
	}
	return path.Join(u.parent.path(), "charts", u.name)
}

// all returns the chart and its sub-charts, the deepest first: a later template
// definition replaces an earlier one of the same name, so that a parent's wins.
func (u *unit) all() []*unit {
	var out []*unit
	for _, sub := range u.subs {
		out = append(out, sub.all()...)
	}
	return append(out, u)
}
