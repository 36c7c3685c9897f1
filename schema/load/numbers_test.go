package load

import (
	"slices"
	"testing"

	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

// What a number of a spec may be: the least and the most are taken, and one more is not.
// Nothing else holds a bound at which no example lies.
func TestNumbersEndAtTheirBounds(t *testing.T) {
	const none = -1 << 62
	resource := p("network", "rdmaResources", "ib")
	network := p("network", "secondaryNetworks", "ib")
	upgrade := inPool("driver", "upgrade")
	within := func(at []any, more ...any) []any { return append(slices.Clone(at), more...) }
	e := loaderForTest(t)
	for _, c := range []struct {
		path        []any
		least, most int
	}{
		{inPool("nodes"), 0, none},
		{inPool("autoscaled", "min"), 0, none},
		{inPool("autoscaled", "max"), 1, none},
		{inPool("advertises", "nvidia.com/gpu"), 1, none},
		{inPool("gpu", "count"), 1, 16},
		{inPool("gpu", "memoryGiB"), 1, 4096},
		{inPool("gpu", "mig", "slices"), 2, 7},
		{inPool("gpu", "mig", "memorySlices"), 2, 8},
		{inPool("gpu", "mig", "profiles", "1g.10gb", "slices"), 1, 7},
		{inPool("gpu", "mig", "profiles", "1g.10gb", "memory"), 1, 8},
		{inPool("gpu", "mig", "profiles", "1g.10gb", "max"), 1, 7},
		{inPool("nvlinkDomain", "size"), 2, none},
		{inPool("sharing", "profiles", "1g.10gb"), 1, none},
		{within(upgrade, "maxParallel"), 0, none},
		{within(upgrade, "maxUnavailable"), 1, none},
		{within(upgrade, "timeoutSeconds"), 0, none},
		{within(upgrade, "waitFor", "timeoutSeconds"), 0, none},
		{within(resource, "count"), 1, 64},
		{within(resource, "maxPods"), 1, none},
		{within(resource, "sriov", "numVfs"), 1, 127},
		{within(resource, "sriov", "mtu"), 68, 9978},
		{within(network, "mtu"), 68, 9978},
		{within(network, "vlan"), 0, 4094},
		{within(network, "ipam", "perNodeBlock"), 2, none},
		{within(network, "ipam", "perNodePrefix"), 1, 128},
		{within(network, "ipam", "gatewayIndex"), 0, none},
		{p("tenants", "research", "weight"), 0, 1000000},
		{p("tenants", "research", "priority"), -1000000000, 1000000000},
		{p("tenants", "research", "quota", "train", "gpus"), 0, none},
		{p("tenants", "research", "quota", "train", "mig-1g.10gb"), 0, none},
	} {
		refused := func(n int) bool {
			out := spectest.Write("yaml", spectest.Good().Set(c.path, n))
			spectest.WriteFiles(t, map[string]string{"cluster.yaml": out.Text.String()})
			_, found := e.load(source.Input{Path: "cluster.yaml"})
			for _, f := range found {
				if f.ID == "SPEC-020" {
					t.Errorf("%v: %+v", c.path, f)
				}
				if f.Path == source.PathString(c.path) {
					return true
				}
			}
			return false
		}
		want := map[int]bool{c.least: false, c.least - 1: true}
		if c.most != none {
			want[c.most], want[c.most+1] = false, true
		}
		for n, bad := range want {
			if refused(n) != bad {
				t.Errorf("%s: %d is %s", source.PathString(c.path), n, map[bool]string{true: "taken", false: "refused"}[bad])
			}
		}
	}
}
