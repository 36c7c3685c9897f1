package schema

import (
	"encoding/json"
	"regexp"
	"testing"
)

// The exporter renamed the label of a GPU's node in 4.8.3.
func TestAlertsAndDashboardAskForTheNodeAsTheExporterNamesIt(t *testing.T) {
	operator := func(version string, values map[string]any) map[string]any {
		return map[string]any{
			"nodePools":  map[string]any{"p": map[string]any{"driver": map[string]any{"version": "580.126.20"}}},
			"components": map[string]any{"gpu-operator": map[string]any{"version": version, "values": values}},
		}
	}
	tag := func(version string) map[string]any {
		return map[string]any{"dcgmExporter": map[string]any{"version": version}}
	}
	standAlone := func(values map[string]any) map[string]any {
		return map[string]any{
			"nodePools":  map[string]any{"p": map[string]any{"driver": map[string]any{"source": "host"}, "host": map[string]any{"driver": "580.126.20", "toolkit": true}}},
			"components": map[string]any{"gpu-operator": map[string]any{"state": "off"}, "dcgm-exporter": map[string]any{"values": values}},
		}
	}
	for name, c := range map[string]struct {
		spec map[string]any
		want string
	}{
		"v25.10.1":                       {operator("v25.10.1", nil), "Hostname"},
		"v26.3.3":                        {operator("v26.3.3", nil), "Hostname"},
		"v26.7.0":                        {operator("v26.7.0", nil), "hostname"},
		"an older exporter":              {operator("v26.7.0", tag("4.5.3-4.8.2-distroless")), "Hostname"},
		"a newer exporter":               {operator("v26.3.3", tag("4.6.0-4.8.3-ubuntu24.04")), "hostname"},
		"a tag without DCGM's":           {operator("v26.3.3", tag("4.8.4-distroless")), "hostname"},
		"a tag that says nothing":        {operator("v26.7.0", tag("stable")), "hostname"},
		"the stand-alone chart":          {standAlone(nil), "Hostname"},
		"the stand-alone chart's newest": {standAlone(map[string]any{"image": map[string]any{"tag": "4.6.0-4.8.3-distroless"}}), "hostname"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			monitored := laidOver(c.spec, map[string]any{
				"components": map[string]any{"prometheus-operator": map[string]any{"state": "external"}},
				"monitoring": map[string]any{"alerts": true, "dashboards": true, "labels": map[string]any{"release": "prometheus"}},
			})
			cluster, found := single("yaml", laidOver(baseSpec(), monitored)).judge(t)
			if cluster == nil {
				t.Fatalf("nothing to render: %v", described(found))
			}
			var objects map[string]any
			if err := cluster.Decode("components.\"gpu-monitoring\".objects", &objects); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(objects)
			if err != nil {
				t.Fatal(err)
			}
			labels := regexp.MustCompile(`\b[Hh]ostname\b`).FindAllString(string(text), -1)
			if len(labels) < 20 {
				t.Errorf("only %d queries name the node", len(labels))
			}
			for _, label := range labels {
				if label != c.want {
					t.Fatalf("a query asks for %s, want %s", label, c.want)
				}
			}
		})
	}
}
