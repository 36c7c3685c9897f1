package helm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// Index makes the facts of a chart version from its directory or archive (.tgz).
// It fails if the file is not a chart, if it takes more than a chart may or leads
// outside, if a dependency of the chart is not in its charts directory, and if a
// template cannot be parsed; the error then names the template and the line.
func Index(file string) (*chartindex.Index, error) {
	c, err := Read(file)
	if err != nil {
		return nil, err
	}
	return c.Index, nil
}

// Chart is a chart as it was read from a disk.
type Chart struct {
	*chartindex.Index
	top *unit
}

// Default is the chart's default of a value, as JSON has it; false if it has none.
func (c *Chart) Default(path []string) (any, bool) {
	n := c.top.values.at(path)
	if n == nil || n.plain() == nil {
		return nil, false
	}
	return n.plain(), true
}

// Read makes the facts of a chart version, and keeps its default values. It fails as
// Index does.
func Read(file string) (*Chart, error) {
	u, err := load(file)
	if err != nil {
		return nil, err
	}
	documents, err := scan(u)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	x := &chartindex.Index{Chart: about(u), Subcharts: subcharts(u)}
	u.addValues(x)
	u.values.addImages(x)
	if err := addCRDs(x, u, documents); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	addObjects(x, documents)
	// What is handed out is what a reader of the file gets.
	read, err := chartindex.Parse(x.JSON())
	if err != nil {
		return nil, err
	}
	return &Chart{read, u}, nil
}

func about(u *unit) chartindex.Chart {
	meta := u.chart.Metadata
	sources := slices.Clone(meta.Sources)
	if meta.Home != "" {
		sources = append(sources, meta.Home)
	}
	for i := range sources {
		sources[i] = strings.TrimSuffix(sources[i], "/")
	}
	slices.Sort(sources)
	return chartindex.Chart{
		Name: meta.Name, Version: meta.Version, AppVersion: meta.AppVersion, KubeVersion: meta.KubeVersion,
		Sources: slices.Compact(sources),
	}
}

func subcharts(u *unit) []chartindex.Subchart {
	var out []chartindex.Subchart
	for _, sub := range u.subs {
		about := chartindex.Subchart{Path: sub.values.path(), Name: sub.chart.Name(), Version: sub.chart.Metadata.Version}
		if sub.need != nil {
			about.Condition = sub.need.Condition
		}
		out = append(append(out, about), subcharts(sub)...)
	}
	return out
}

// addValues fills the values of an index from the tree of values.
func (u *unit) addValues(x *chartindex.Index) {
	u.requireBySchema()
	u.values.spread(false)
	u.values.findUnread()
	u.shareGlobals()
	u.values.collect(x)
}

// spread marks everything below a value that is rendered whole: it is rendered
// too.
func (n *node) spread(dumped bool) {
	n.dumped = n.dumped || dumped
	for _, child := range n.children {
		child.spread(n.dumped)
	}
}

// findUnread marks the defaults that nothing reads, alone or as part of a map.
func (n *node) findUnread() bool {
	n.unread = !n.read && !n.dumped && !n.switches
	for _, child := range n.children {
		if !child.findUnread() || n.ranged {
			n.unread = false
		}
	}
	for p := n.parent; p != nil && n.unread; p = p.parent {
		n.unread = !p.ranged && !p.serialized
	}
	return n.unread
}

// shareGlobals tells the global values of a chart the types that the charts below
// it have for theirs: they are the same values.
func (u *unit) shareGlobals() {
	for _, sub := range u.subs {
		sub.shareGlobals()
		above, below := u.values.children[globalKey], sub.values.children[globalKey]
		if above != nil && below != nil {
			above.share(below)
		}
	}
}

func (n *node) share(other *node) {
	for key, child := range n.children {
		if same := other.children[key]; same != nil {
			if child.origin == "" && child.def == nil {
				child.def = same.def
			}
			child.share(same)
		}
	}
}

func (n *node) collect(x *chartindex.Index) {
	for _, child := range n.sorted() {
		if child.known() {
			x.Values = append(x.Values, child.value())
		}
		child.collect(x)
	}
}

// known reports whether the path is more than a place above sub-charts.
func (n *node) known() bool {
	return n.origin != "" || n.read || n.switches || len(n.children) > 0
}

func (n *node) value() chartindex.Value {
	v := chartindex.Value{
		Path: n.path(), Type: n.valueType(), Origin: n.origin, Ranged: n.ranged, Unread: n.unread && n.origin != "",
		Required: n.required && (n.def == nil || n.def == ""),
	}
	if v.Origin != "" {
		v.Default = shortDefault(n.def)
	}
	switch {
	case v.Origin != "":
	case n.isChart:
		v.Origin = chartindex.OriginSubchart
	case n.read:
		v.Origin = chartindex.OriginTemplate
	default:
		v.Origin = chartindex.OriginCondition
	}
	switch v.Type {
	case chartindex.TypeArray:
		v.Elements, v.NonEmpty = elementType(n.def)
	case chartindex.TypeObject:
		v.Open, v.Ranged = n.dumped || n.ranged || len(n.children) == 0, false
	case chartindex.TypeUnknown:
		v.Accepts = n.tested()
		v.Open = n.dumped || n.ranged || slices.Contains(v.Accepts, chartindex.TypeObject)
	default:
		v.Accepts = n.numberOrString(v.Type)
	}
	return v
}

// maxDefault is the longest text that an index keeps as a default.
const maxDefault = 100

// shortDefault is a default as the index keeps it. Of false, which omitempty would
// leave out, as of every other, the type tells that there is one.
func shortDefault(def any) any {
	switch def := def.(type) {
	case bool, float64, int64, int:
		return def
	case string:
		if def != "" && len(def) <= maxDefault {
			return def
		}
	}
	return nil
}
