package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/diag"
)

// What a spec needs, a chart may bring by its own default: a template does not set such
// a value, and still nobody may change it. Where nothing needs it, everybody may.
func TestAValueThatTheSpecLeavesToTheChartMayNotBeTurnedOff(t *testing.T) {
	const (
		watched = "components: {prometheus-operator: {state: external}, gpu-operator: {values: {dcgmExporter: {enabled: false}}}}\n"
		sliced  = "nodePools: {p: {sharing: {strategy: mig, profiles: {1g.10gb: 7}}}}\n"
		tenant  = "scheduling: {gang: volcano}\ntenants: {t: {namespaces: [team-t], quota: {p: {gpus: 4}}}}\n"
	)
	for _, c := range []struct{ path, values, needed, free string }{
		{"dcgmExporter.enabled", watched, "monitoring: {alerts: true, labels: {release: prometheus}}", "monitoring: {labels: {release: prometheus}}"},
		{"dcgmExporter.enabled", watched, "monitoring: {dashboards: true, labels: {release: prometheus}}", "monitoring: {labels: {release: prometheus}}"},
		{"gfd.enabled", "components: {gpu-operator: {values: {gfd: {enabled: false}}}}\n", sliced, "nodePools: {p: {sharing: {strategy: time-slicing, replicas: 4}}}\n"},
		{"worker.enable", "components: {gpu-operator: {values: {node-feature-discovery: {worker: {enable: false}}}}}\n", "", "components: {gpu-operator: {values: {node-feature-discovery: {worker: {enable: true}}}}}\n"},
		{"master.enable", "components: {gpu-operator: {values: {node-feature-discovery: {master: {enable: false}}}}}\n", "", "components: {gpu-operator: {values: {node-feature-discovery: {master: {enable: true}}}}}\n"},
		{"custom.scheduler_enable", "components: {volcano: {state: managed, values: {custom: {scheduler_enable: false}}}}\n", "scheduling: {gang: volcano}\n", ""},
		{"custom.controller_enable", "components: {volcano: {state: managed, values: {custom: {controller_enable: false}}}}\n", "scheduling: {gang: volcano}\n", ""},
		{"custom.scheduler_name", "components: {volcano: {state: managed, values: {custom: {scheduler_name: other}}}}\n", "scheduling: {gang: volcano}\n", ""},
		{"custom.admission_enable", "components: {volcano: {values: {custom: {admission_enable: false}}}}\n", tenant, "scheduling: {gang: volcano}\n"},
		{"custom.enabled_admissions", "components: {volcano: {values: {custom: {enabled_admissions: \"/jobs/mutate,/podgroups/validate\"}}}}\n", tenant, "scheduling: {gang: volcano}\n"},
		{"scheduler.enabled", "components: {kai-scheduler: {state: managed, values: {scheduler: {enabled: false}}}}\n", "scheduling: {gang: kai}\n", ""},
		{"binder.enabled", "components: {kai-scheduler: {state: managed, values: {binder: {enabled: false}}}}\n", "scheduling: {gang: kai}\n", ""},
		{"podgrouper.enabled", "components: {kai-scheduler: {state: managed, values: {podgrouper: {enabled: false}}}}\n", "scheduling: {gang: kai}\n", ""},
		{"defaultShard.enabled", "components: {kai-scheduler: {state: managed, values: {defaultShard: {enabled: false}}}}\n", "scheduling: {gang: kai}\n", ""},
	} {
		for need, wanted := range map[string]bool{c.needed: true, c.free: false} {
			if !sample.Some("held "+c.path+need, 6) {
				continue
			}
			t.Run(c.path+" "+need, func(t *testing.T) {
				t.Parallel()
				d := single("yaml", overlaidLines(t, c.values+need))
				_, found := d.judge(t)
				held := slices.ContainsFunc([]diag.Finding(found), func(f diag.Finding) bool {
					return f.ID == "VALUES-001" && strings.HasSuffix(f.Path, c.path) && strings.Contains(f.Message, c.path)
				})
				if held != wanted {
					t.Errorf("found %v, want %v\n%v\n%v", held, wanted, found, d)
				}
			})
		}
	}
}
