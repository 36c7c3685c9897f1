package guide

import (
	"slices"
	"testing"
)

// Each MIG pool has a row that says what a commit with another layout disturbs.
func TestTheReadmeSaysWhatAMIGLayoutDisturbs(t *testing.T) {
	for _, test := range []struct {
		name, distribution, pools string
		want                      [][]string
	}{
		{"GPUs that stay whole", "kubeadm", `{
			p: {nodeSelector: pool: "p", nodes: 3, sharing: {strategy: "mig", mode: "mixed", layout: [{devices: [0, 1], profiles: "1g.10gb": 7}]}}
			q: {nodeSelector: pool: "q", autoscaled: {min: 0, max: 5}, sharing: {strategy: "mig", profiles: {"3g.40gb": 1, "1g.10gb": 4}}}
			r: {nodeSelector: pool: "r"}
		}`, [][]string{
			{"p", "all 3", "GPU 0, 1: 7 × 1g.10gb; GPU 2, 3, 4, 5, 6, 7: whole", "t, u", "no"},
			{"q", "up to 5", "each GPU: 4 × 1g.10gb, 1 × 3g.40gb", "", "no"},
		}},
		{"virtual machines", "aks", `{p: {host: driver: "none", sharing: {strategy: "mig", mode: "mixed", profiles: "1g.10gb": 7}}}`,
			[][]string{{"p", "all", "each GPU: 7 × 1g.10gb", "t, u", "yes, where its GPUs cannot be reset"}}},
		{"no slices", "kubeadm", `{p: {}}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec := `
				name: "research"
				kubernetes: {version: "1.35.8", distribution: "` + test.distribution + `"}
				gitops: {repoURL: "https://git.example.com/platform/gpu.git", path: "clusters/research/tree"}
				_usual: {gpu: {model: "h100-sxm-80gb", count: 8}, os: {name: "ubuntu", version: "24.04"}, driver: source: "operator"}
				_pools: ` + test.pools + `
				nodePools: {for name, pool in _pools {(name): _usual & pool}}
				scheduling: queue: "kueue"
				tenants: {for name in ["u", "t"] {(name): {namespaces: [name], quota: p: cpu: "8"}}}`
			got := readmeTable(t, spec, "A new MIG layout")
			if !slices.EqualFunc(got, test.want, slices.Equal[[]string]) {
				t.Errorf("the table has %q, want %q", got, test.want)
			}
		})
	}
}
