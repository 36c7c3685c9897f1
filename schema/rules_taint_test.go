package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// tolerationPaths are where charts take the tolerations of what must run on every
// GPU node, by component.
var tolerationPaths = map[string][]string{
	"gpu-operator":              {"daemonsets.tolerations", "node-feature-discovery.worker.tolerations"},
	"node-feature-discovery":    {"worker.tolerations"},
	"nvidia-device-plugin":      {"tolerations"},
	"dcgm-exporter":             {"tolerations"},
	"aws-efa-k8s-device-plugin": {"tolerations"},
}

// TAINT-001 has nothing to find, because the templates tolerate every taint of a
// pool. That they do is checked here.
func TestWhatRunsOnAPoolToleratesItsTaints(t *testing.T) {
	taints := []map[string]any{
		{"key": "example.com/gpu", "effect": "NoSchedule"},
		{"key": "example.com/team", "value": "a", "effect": "NoSchedule"},
		{"key": "example.com/empty", "value": "", "effect": "NoExecute"},
		{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
		{"key": "nvidia.com/gpu", "value": "present", "effect": "NoExecute"},
	}
	const standAlone = "components: {gpu-operator: {state: \"off\"}}\nnodePools: {p: {host: {driver: 580.95.05, toolkit: true}, driver: {source: host}}}"
	for name, text := range map[string]string{
		"the GPU Operator":                              "{}",
		"the GPU Operator with an NFD of its own":       "components: {node-feature-discovery: {state: managed}}",
		"the GPU Operator with tolerations of the user": "components: {gpu-operator: {values: {daemonsets: {tolerations: [{key: mine, operator: Exists}]}}}}",
		"stand-alone parts":                             standAlone,
		"AWS's device plugin for EFA":                   "{kubernetes: {distribution: eks}, network: {fabric: efa, rdmaResources: {efa: {plugin: efa, name: efa}}}, nodePools: {p: {rdma: [efa], gpu: {model: h100-sxm-80gb, count: 8}, driver: {source: cloud}, os: {name: amazon-linux, version: \"2023\"}}}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := overlaid(t, text)
			var list []any
			for _, taint := range taints {
				list = append(list, taint)
			}
			poolsOf(spec)["p"].(map[string]any)["taints"] = list
			cluster, found := single("yaml", spec).judge(t)
			if len(found) > 0 {
				t.Fatal(described(found))
			}
			var components map[string]struct {
				Of     string         `json:"of"`
				Values map[string]any `json:"values"`
			}
			if err := cluster.Decode("components", &components); err != nil {
				t.Fatal(err)
			}
			seen := 0
			for release, c := range components {
				for _, path := range tolerationPaths[c.Of] {
					tolerations, ok := valueAt(c.Values, path).([]any)
					if !ok {
						continue
					}
					seen++
					for _, taint := range taints {
						if !slices.ContainsFunc(tolerations, func(x any) bool { return tolerates(x.(map[string]any), taint) }) {
							t.Errorf("%s of %s does not tolerate %v", path, release, taint)
						}
					}
				}
			}
			if seen < 2 {
				t.Errorf("only %d lists of tolerations", seen)
			}
		})
	}
}

// tolerates is what the Kubernetes scheduler says of a toleration and a taint.
func tolerates(toleration, taint map[string]any) bool {
	of := func(m map[string]any, key string) string {
		if m[key] == nil {
			return ""
		}
		return fmt.Sprint(m[key])
	}
	if effect := of(toleration, "effect"); effect != "" && effect != of(taint, "effect") {
		return false
	}
	if key := of(toleration, "key"); key != "" && key != of(taint, "key") {
		return false
	}
	return of(toleration, "operator") == "Exists" || of(toleration, "value") == of(taint, "value")
}

func valueAt(v any, path string) any {
	for _, label := range strings.Split(path, ".") {
		m, _ := v.(map[string]any)
		v = m[label]
	}
	return v
}
