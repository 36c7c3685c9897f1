package generators_test

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// An autoscaler that adds the first node of a pool is told in its own words what the node will have, and a person what it cannot be told.
func TestAutoscalersAreToldOfPoolsFromZero(t *testing.T) {
	const shared = `nodePools: {p: {nodeSelector: {example.com/pool: p}, autoscaled: {min: 0, max: 4}, taints: [{key: nvidia.com/gpu, effect: NoSchedule}], sharing: {strategy: mig, mode: mixed, profiles: {1g.10gb: 7}}}}`
	const fabric = `{network: {fabric: infiniband, rdmaResources: {ib: {plugin: shared, name: shared_ib}}}, nodePools: {p: {rdma: [ib]}}}`
	const undriven = `nodePools: {p: {host: {driver: none, devicePlugin: false}}}`
	for _, c := range []struct {
		platform, tool string
		with           string
		says           []string
		silent         string
		untold         string
	}{
		{
			"eks", "cluster-autoscaler-eks", `nodePools: {p: {os: {name: ubuntu, version: "24.04"}}}`,
			[]string{
				"node-template/label/example.com/pool,Value=p'", "node-template/taint/nvidia.com/gpu,Value=:NoSchedule'",
				"node-template/resources/nvidia.com/mig-1g.10gb,Value=56'",
			}, "", "[]",
		},
		{
			"eks", "karpenter", "",
			[]string{"\n        example.com/pool: \"p\"\n", "{key: \"nvidia.com/gpu\", value: \"\", effect: NoSchedule}", "kind: NodeOverlay", "\n    nvidia.com/mig-1g.10gb: \"56\"\n"},
			"\n\n", "[]",
		},
		{
			"aks", "cluster-autoscaler-aks", fabric,
			[]string{"template_label_example.com_pool=p'", "template_taint_nvidia.com_gpu=:NoSchedule'", "template_resources_nvidia.com_mig-1g.10gb=56'"},
			"shared", "[rdma/shared_ib]",
		},
		{
			"gke", "node-pool-gke", "",
			[]string{"--total-max-nodes=4", "--node-labels=example.com/pool=p,", "--node-taints=nvidia.com/gpu=:NoSchedule"},
			"mig-1g", "[nvidia.com/mig-1g.10gb]",
		},
		{
			"kubeadm", "cluster-api", fabric,
			[]string{"max-size: \"4\"\n", "/labels: \"example.com/pool=p,", "/taints: \"nvidia.com/gpu=:NoSchedule\"", "/gpu-type: \"nvidia.com/mig-1g.10gb\"", "/gpu-count: \"56\""},
			"shared_ib", "[rdma/shared_ib]",
		},
	} {
		t.Run(c.platform+"/"+c.tool, func(t *testing.T) {
			t.Parallel()
			objects := renderedDespiteWarnings(t, `kubernetes: {distribution: `+c.platform+`}`, shared, undriven, c.with)
			snippet := at(objects["required-node-labels.yaml"], "fromZero", "p", "snippets", c.tool)
			text := fmt.Sprint(at(snippet, "text"))
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not said in\n%s", want, text)
				}
			}
			if c.tool == "karpenter" || c.tool == "cluster-api" {
				for i, document := range strings.Split(text, "---\n") {
					var parsed map[string]any
					if err := yaml.Unmarshal([]byte(document), &parsed); err != nil || parsed["metadata"] == nil {
						t.Errorf("document %d is no object: %v\n%s", i, err, document)
					}
				}
			}
			if c.silent != "" && strings.Contains(text, c.silent) {
				t.Errorf("%q is said in\n%s", c.silent, text)
			}
			untold, _ := at(snippet, "cannotBeTold").([]any)
			if got := fmt.Sprint(untold); got != c.untold {
				t.Errorf("%s cannot be told, want %s", got, c.untold)
			}
		})
	}

	t.Run("a pool that always has a node", func(t *testing.T) {
		t.Parallel()
		objects := rendered(t, shared, `nodePools: {p: {autoscaled: {min: 1}}}`)
		if at(objects["required-node-labels.yaml"], "fromZero") != nil {
			t.Error("its nodes are an autoscaler's example")
		}
	})
}
