package generators_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/internal/sample"
)

// The device plugin renames what it shares by one word of its configuration, so
// everything that names the resource has to say the same.
func TestARenamedResourceHasOneNameEverywhere(t *testing.T) {
	const quota = `tenants: {t: {namespaces: [team-t], quota: {p: {%s: 4}}}}`
	for _, sharing := range []struct{ sharing, method, resource, unit string }{
		{`strategy: time-slicing, replicas: 4`, "timeSlicing", "nvidia.com/gpu", "gpus"},
		{`strategy: mps, replicas: 4`, "mps", "nvidia.com/gpu", "gpus"},
		{`strategy: mig, mode: mixed, profiles: {1g.10gb: 7}, replicas: 4`, "timeSlicing", "nvidia.com/mig-1g.10gb", "mig-1g.10gb"},
		{`strategy: mig, mode: single, profiles: {1g.10gb: 7}, replicas: 4`, "timeSlicing", "nvidia.com/gpu", "mig-1g.10gb"},
	} {
		pool := `nodePools: {p: {sharing: {` + sharing.sharing + `, rename: true}}}`
		tenant := fmt.Sprintf(quota, sharing.unit)
		renamed := sharing.resource + ".shared"
		operator := `components: {}`
		alone := `{components: {gpu-operator: {state: "off"}}, nodePools: {p: {host: {driver: "580.95.05", toolkit: true}, driver: {source: host}}}}`
		for name, release := range map[string]string{"the operator's plugin": operator, "a plugin of its own": alone} {
			if release == alone && sharing.unit != "gpus" {
				// Only the operator partitions GPUs.
				continue
			}
			if !sample.Draws("renamed "+sharing.sharing+" by "+name, 2) {
				continue
			}
			t.Run(sharing.sharing+" by "+name, func(t *testing.T) {
				objects := rendered(t, pool, release, tenant, `scheduling: {queue: kueue, gang: volcano}`)
				plugin := pluginConfiguration(t, objects)
				if at(plugin, "sharing", sharing.method, "renameByDefault") != true || at(plugin, "sharing", sharing.method, "resources", 0, "name") != sharing.resource {
					t.Errorf("the plugin is told %v", plugin)
				}
				if got := at(objects["ClusterQueue/t"], "spec", "resourceGroups", 0, "coveredResources"); !slices.Equal(got.([]any), []any{renamed}) {
					t.Errorf("Kueue counts %v", got)
				}
				usage := objects["USAGE.md"].(map[string]any)["text"].(string)
				if !strings.Contains(usage, "| `"+renamed+"` |") || strings.Count(usage, renamed+": 1\n") != 2 || strings.Contains(usage, sharing.resource+": ") {
					t.Errorf("USAGE.md does not speak of %s alone", renamed)
				}
				exporter := at(objects["gpu-operator/values.yaml"], "dcgmExporter", "env")
				if release == alone {
					exporter = at(objects["dcgm-exporter/values.yaml"], "extraEnv")
				}
				told := map[any]any{}
				for _, entry := range exporter.([]any) {
					told[at(entry, "name")] = at(entry, "value")
				}
				// The exporter knows slices by the beginning of their name.
				var want any
				if !strings.HasPrefix(renamed, "nvidia.com/mig-") {
					want = renamed
				}
				if told["NVIDIA_RESOURCE_NAMES"] != want || told["KUBERNETES_VIRTUAL_GPUS"] != "true" {
					t.Errorf("the exporter is told %v", told)
				}

				objects = rendered(t, pool, release, tenant)
				if got := at(objects["ResourceQuota/gpus"], "spec", "hard", "requests."+renamed); got == nil {
					t.Errorf("the ResourceQuota is %v", at(objects["ResourceQuota/gpus"], "spec"))
				}
				objects = rendered(t, pool, release, tenant, `scheduling: {gang: volcano}`)
				if got := at(objects["Queue/t"], "spec", "deserved", renamed); got == nil {
					t.Errorf("Volcano's queue is %v", at(objects["Queue/t"], "spec"))
				}
			})
		}
	}
}

// pluginConfiguration is what the only device plugin of a tree reads.
func pluginConfiguration(t *testing.T, objects map[string]any) any {
	t.Helper()
	for name, object := range objects {
		if strings.HasPrefix(name, "ConfigMap/") && strings.Contains(name, "plugin") {
			var out any
			if err := yaml.Unmarshal([]byte(at(object, "data", "default").(string)), &out); err != nil {
				t.Fatal(err)
			}
			return out
		}
	}
	t.Fatal("no device plugin has a configuration")
	return nil
}
