package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// An Application's name may be a label of 63 characters, a release's has 53.
func TestNamesEndWhereArgoCDAndHelmEndThem(t *testing.T) {
	const (
		pools = `nodePools:
  p: {nodeSelector: {pool: p}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: host}, host: {driver: 580.95.05, toolkit: true, fabricManager: true}}
  %s: {nodeSelector: {pool: q}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: host}, host: {driver: 580.95.05, toolkit: true, fabricManager: true}}
components: {gpu-operator: {state: "off"}%s}
`
		one = `nodePools: {p: {gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}}
`
	)
	name := func(n int) string { return strings.Repeat("c", n) }
	for _, c := range []struct {
		about   string
		cluster int
		more    string
		// want are place and fix of each finding.
		want []string
	}{
		// "-gpu-operator" and "-tenant-" have 13 and 8 characters.
		{"63 in all", 50, one, nil},
		{"64 in all", 51, one, []string{"name: shorten the name of the cluster"}},
		{"between Helm's limit and that of a label", 40, one + "tenants: {" + name(15) + ": {namespaces: [t]}}\n", nil},
		{"an Application of a tenant", 40, one + "tenants: {" + name(16) + ": {namespaces: [t]}}\n",
			[]string{"name: shorten the name of the cluster, or that of tenant " + name(16)}},
		{"a component of one's own", 12, one + "components: {" + name(51) + ": {chart: {repository: https://charts.example.com, name: a, version: 1.0.0}}}\n",
			[]string{"name: shorten the name of the cluster, or that of component " + name(51)}},
		// "nvidia-device-plugin-" has 21 characters.
		{"a release of 53", 5, fmt.Sprintf(pools, name(32), ""), nil},
		{"a release of 54", 5, fmt.Sprintf(pools, name(33), ""),
			[]string{`components."nvidia-device-plugin".releaseName: shorten the name of node pool ` + name(33) + `, or components."nvidia-device-plugin".releaseName`}},
		{"a release with a shorter name", 5, fmt.Sprintf(pools, name(33), ", nvidia-device-plugin: {releaseName: plugin}"), nil},
		{"an Application of a pool", 20, fmt.Sprintf(pools, name(32), ""),
			[]string{"name: shorten the name of the cluster, or that of node pool " + name(32)}},
	} {
		t.Run(c.about, func(t *testing.T) {
			_, findings := render("name: " + name(c.cluster) + `
kubernetes: {version: "1.35.8", distribution: kubeadm}
gitops: {repoURL: https://git.example.com/platform/gpu, path: clusters/small}
` + c.more)
			var got []string
			for _, f := range findings {
				if f.ID == "TREE-001" {
					got = append(got, f.Path+": "+f.Fix)
				} else if f.Severity == "error" {
					t.Errorf("%s: %s", f.ID, f.Message)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
