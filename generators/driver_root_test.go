package generators_test

import "testing"

// Whoever looks for the driver of a host is told where it is, and nobody is told
// what they find by themselves.
func TestADriverIsLookedForWhereItsHostHasIt(t *testing.T) {
	const (
		usual   = `nodePools: {p: {host: {driver: "580.95.05", fabricManager: true}, driver: {source: host}}}`
		unusual = `nodePools: {p: {host: {driver: "580.95.05", fabricManager: true, driverRoot: /opt/nvidia/driver}, driver: {source: host}}}`
		alone   = `{components: {gpu-operator: {state: "off"}}, nodePools: {p: {host: {toolkit: true}}}}`
		dra     = `nodePools: {p: {allocation: dra}}`
		other   = `nodePools: {q: {allocation: dra, nodeSelector: {example.com/pool: q}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, host: {driver: "580.95.05", fabricManager: true, driverRoot: /opt/nvidia/driver}, driver: {source: host}}}`
	)
	for name, c := range map[string]struct {
		overlays []string
		want     map[string]any
	}{
		"the operator":        {[]string{unusual}, map[string]any{"gpu-operator": "/opt/nvidia/driver"}},
		"the operator, usual": {[]string{usual}, map[string]any{"gpu-operator": nil}},
		"a plugin":            {[]string{unusual, alone}, map[string]any{"nvidia-device-plugin": "/opt/nvidia/driver"}},
		"a plugin, usual":     {[]string{usual, alone}, map[string]any{"nvidia-device-plugin": nil}},
		"DRA":                 {[]string{unusual, dra}, map[string]any{"gpu-operator": "/opt/nvidia/driver", "dra-driver-nvidia-gpu": "/opt/nvidia/driver"}},
		"DRA, usual":          {[]string{usual, dra}, map[string]any{"gpu-operator": nil, "dra-driver-nvidia-gpu": "/"}},
		"DRA of another pool": {[]string{usual, other}, map[string]any{"gpu-operator": "/opt/nvidia/driver", "nvidia-device-plugin": "/", "dra-driver-nvidia-gpu": "/opt/nvidia/driver"}},
	} {
		t.Run(name, func(t *testing.T) {
			objects := rendered(t, c.overlays...)
			for component, want := range c.want {
				values := objects[component+"/values.yaml"]
				got := at(values, "nvidiaDriverRoot")
				if component == "gpu-operator" {
					got = at(values, "hostPaths", "driverInstallDir")
				}
				if values == nil || got != want {
					t.Errorf("%s looks in %v, want %v", component, got, want)
				}
			}
		})
	}
}
