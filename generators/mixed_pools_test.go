package generators_test

import (
	"testing"
)

// What a pool brings itself is kept off it where another pool gets it from the operator.
func TestTheOperatorsToolkitIsKeptOffNodesThatBringTheirOwn(t *testing.T) {
	const (
		one   = `nodePools: {p: {host: {driver: "580.95.05", toolkit: true}, driver: {source: host}}}`
		mixed = `nodePools: {p: {nodeSelector: {pool: p}, host: {driver: "580.95.05", toolkit: true}, driver: {source: host}}, q: {nodeSelector: {pool: q}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}}`
	)
	for spec, want := range map[string]int{one: 0, mixed: 1} {
		labels, _ := at(rendered(t, spec)["required-node-labels.yaml"], "labels").([]any)
		kept := 0
		for _, l := range labels {
			if at(l, "label") == "nvidia.com/gpu.deploy.container-toolkit" && at(l, "pool") == "p" && at(l, "value") == "false" {
				kept++
			}
		}
		if kept != want {
			t.Errorf("%d labels keep the toolkit off pool p, want %d: %v", kept, want, labels)
		}
	}
}
