package generators_test

import (
	"fmt"
	"testing"

	"sigs.k8s.io/yaml"
)

// Beside pools with claims a pool's device plugin, the operator's GPU Feature Discovery
// and the node's label have to agree on one key: from it follow the names of shared
// GPUs, and whether MPS runs at all. A plugin whose ConfigMap lacks the key fails.
func TestAPoolThatSharesGPUsBesideClaimsHasOneConfiguration(t *testing.T) {
	const beside = `nodePools: {q: {allocation: dra, nodeSelector: {example.com/pool: q}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}}`
	for _, c := range []struct{ sharing, method string }{
		{`strategy: time-slicing, replicas: 4`, "timeSlicing"},
		{`strategy: mps, replicas: 4`, "mps"},
		{`strategy: mig, profiles: {1g.10gb: 7}, replicas: 4`, "timeSlicing"},
		{`strategy: exclusive`, ""},
	} {
		t.Run(c.sharing, func(t *testing.T) {
			objects := rendered(t, beside, `nodePools: {p: {sharing: {`+c.sharing+`}}}`)
			label := labelOf(objects, "p", "nvidia.com/device-plugin.config")
			operator := configurations(t, objects, "gpu-operator", "devicePlugin", "config")
			alone := configurations(t, objects, "nvidia-device-plugin", "config")
			if c.method == "" {
				if label != "" || operator != nil || alone != nil {
					t.Fatalf("nothing is shared, but there is %q, %v, %v", label, operator, alone)
				}
				return
			}
			for reader, configs := range map[string]map[string]any{"GPU Feature Discovery": operator, "the device plugin": alone} {
				if at(configs[label], "sharing", c.method) == nil {
					t.Errorf("%s finds no %s in %q of %v", reader, c.method, label, configs)
				}
			}
			// Nodes with claims have no label, and no GPUs that are shared.
			if usual := at(objects["gpu-operator/values.yaml"], "devicePlugin", "config", "default"); operator[fmt.Sprint(usual)] == nil || at(operator[fmt.Sprint(usual)], "sharing") != nil {
				t.Errorf("other nodes get %v of %v", usual, operator)
			}
			if usual := at(objects["nvidia-device-plugin/values.yaml"], "config", "default"); usual != label {
				t.Errorf("until the node has its label, its plugin takes %v", usual)
			}
			if at(objects["gpu-operator/values.yaml"], "devicePlugin", "enabled") != false {
				t.Error("two device plugins")
			}
		})
	}
}

// configurations are the device plugin's, by key, in the ConfigMap that a component's
// values name at a path; nil if they name none.
func configurations(t *testing.T, objects map[string]any, component string, path ...any) map[string]any {
	t.Helper()
	name := at(objects[component+"/values.yaml"], append(path, "name")...)
	if name == nil {
		return nil
	}
	data, _ := at(objects[fmt.Sprintf("%s/ConfigMap/%v", component, name)], "data").(map[string]any)
	out := map[string]any{}
	for key, text := range data {
		var config map[string]any
		if err := yaml.Unmarshal([]byte(text.(string)), &config); err != nil {
			t.Fatal(err)
		}
		out[key] = config
	}
	if len(out) == 0 {
		t.Fatalf("%s reads %v, which is not there", component, name)
	}
	return out
}

// labelOf is the value that a pool's nodes need of a label, or "".
func labelOf(objects map[string]any, pool, key string) string {
	labels, _ := at(objects["required-node-labels.yaml"], "labels").([]any)
	for _, l := range labels {
		if at(l, "pool") == pool && at(l, "label") == key {
			return fmt.Sprint(at(l, "value"))
		}
	}
	return ""
}
