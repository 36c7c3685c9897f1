package generators_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
)

// Driver manager and MIG manager stop what keeps a driver in use by a node label, so
// whatever else than the operator runs on GPUs selects its nodes by that label,
// whoever owns the driver and however it is replaced.
func TestWhatKeepsADriverInUseIsStoppedWithTheOperatorsPods(t *testing.T) {
	const (
		claims  = `nodePools: {p: {allocation: dra}}`
		beside  = `nodePools: {q: {allocation: dra, nodeSelector: {example.com/pool: q}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}}`
		slices  = `nodePools: {p: {sharing: {strategy: mig, profiles: {1g.10gb: 7}}}}`
		byHand  = `nodePools: {p: {driver: {upgrade: {auto: false}}}}`
		besideH = `nodePools: {q: {driver: {upgrade: {auto: false}}}}`
		host    = `nodePools: {p: {host: {driver: "580.95.05"}, driver: {source: host}}}`
		domains = `nodePools: {p: {arch: arm64, gpu: {model: gb200, count: 4}, nvlinkDomain: {size: 18}}}`
	)
	for version, label := range map[string]string{
		"v25.10.1": "nvidia.com/gpu.deploy.device-plugin",
		"v26.3.3":  "nvidia.com/gpu.deploy.device-plugin",
		"v26.7.0":  "nvidia.com/gpu.deploy.client",
	} {
		operator := fmt.Sprintf(`components: {gpu-operator: {version: %s}}`, version)
		for name, c := range map[string]struct {
			overlays []string
			releases int
		}{
			"claims":                            {[]string{claims, byHand}, 1},
			"claims of slices on a host driver": {[]string{claims, slices, host}, 1},
			"claims on a host driver":           {[]string{claims, host}, 1},
			"beside claims":                     {[]string{beside, byHand, besideH}, 2},
			"slices beside claims":              {[]string{beside, slices, byHand, besideH}, 2},
			"a host driver beside claims":       {[]string{beside, host, besideH}, 2},
			"ComputeDomains":                    {[]string{domains}, 1},
			"a plugin only":                     {nil, 0},
		} {
			if !sample.Draws("driver in use "+version+" "+name, 4) {
				continue
			}
			t.Run(version+" "+name, func(t *testing.T) {
				objects := renderedDespiteWarnings(t, append(c.overlays, operator)...)
				seen := 0
				for path, values := range objects {
					var selector any
					switch {
					case strings.HasPrefix(path, "nvidia-device-plugin") && strings.HasSuffix(path, "/values.yaml"):
						selector = at(values, "nodeSelector")
					case path == "dra-driver-nvidia-gpu/values.yaml":
						selector = at(values, "kubeletPlugin", "nodeSelector")
					default:
						continue
					}
					seen++
					if at(selector, label) != "true" {
						t.Errorf("%s selects nodes by %v, which %s of the operator does not stop", path, selector, version)
					}
				}
				if seen != c.releases {
					t.Errorf("%d releases, want %d", seen, c.releases)
				}
			})
		}
	}
}

// Where no operator is, nobody sets the label, and nothing must wait for it.
func TestWithoutTheOperatorNobodyWaitsForItsLabels(t *testing.T) {
	const alone = `{components: {gpu-operator: {state: "off"}}, nodePools: {p: {host: {driver: "580.95.05", toolkit: true}, driver: {source: host}}}}`
	for name, overlay := range map[string]string{"a device plugin": `{}`, "DRA": `nodePools: {p: {allocation: dra}}`} {
		t.Run(name, func(t *testing.T) {
			for path, object := range rendered(t, alone, overlay) {
				if strings.HasSuffix(path, "/values.yaml") && strings.Contains(fmt.Sprint(object), "gpu.deploy") {
					t.Errorf("%s waits for a label of the operator: %v", path, object)
				}
			}
		})
	}
}
