package verify

import (
	"testing"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/chartindex"
)

// What a template sets and Helm would pass over in silence is found, where facts of a
// chart version were taken over unread.
func TestValuesThatAChartVersionLacks(t *testing.T) {
	cluster, findings := schema.Evaluate(schema.Input{Path: "../../examples/onprem-h100"})
	if cluster == nil {
		t.Fatal(findings)
	}
	index, err := chartindex.Parse([]byte(`{"chart": {"name": "c", "version": "2.0.0"}, "subcharts": [], "objects": [], "hooks": [], "crds": [], "dynamic": [], "images": [],
"values": [{"path": "/a", "type": "object", "origin": "values"}, {"path": "/a/there", "type": "string", "origin": "values"},
{"path": "/open", "type": "object", "origin": "values", "open": true}]}`))
	if err != nil {
		t.Fatal(err)
	}
	component := plan.Component{
		Name: "c", Of: "c", Index: index, Chart: &plan.Chart{Name: "c", Version: "2.0.0", Like: "1.0.0"},
		Values: map[string]any{"a": map[string]any{"there": "x", "gone": map[string]any{"x": 1}}, "open": map[string]any{"x": 1}},
	}
	p := &plan.Plan{Components: []plan.Component{component}}
	got := values(p, cluster.Spec)
	if len(got) != 1 || got[0].ID != "TREE-009" || got[0].Message != "the tree sets a.gone of c, which the chart 2.0.0 does not have; 1.0.0, which it is like, has" {
		t.Errorf("found %v", got)
	}
	p.Components[0].Chart.Like = ""
	if got := values(p, cluster.Spec); len(got) > 0 {
		t.Errorf("of a version that was read, found %v", got)
	}
}
