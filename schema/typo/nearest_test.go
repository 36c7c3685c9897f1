package typo

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []string
		want       []string
	}{
		{"nodez", []string{"nodes", "node", "modes"}, []string{"node", "nodes"}},
		{"xy", []string{"os", "gpu"}, nil},
		{"nodepools", []string{"nodePools", "network"}, []string{"nodePools"}},
		{"gpu_operator", []string{"gpu-operator", "network-operator"}, []string{"gpu-operator"}},
		{"tainst", []string{"taints", "tenants"}, []string{"taints"}},
		{"completely", []string{"different"}, nil},
	} {
		if got := Nearest(c.name, c.candidates); !slices.Equal(got, c.want) {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}
