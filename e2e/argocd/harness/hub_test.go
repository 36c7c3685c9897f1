//go:build linux

package harness_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/e2e/argocd/harness"
)

// Argo CD in a hub brings a tree to a cluster that it knows by its name or by its
// address: the root, the project and the set stay at the hub, and all else goes to the
// cluster.
func TestHub(t *testing.T) {
	for _, c := range []struct {
		name, layout string
		destination  func(*site) string
	}{
		{"by name", "app-of-apps", func(*site) string { return `name: "spoke"` }},
		{"by address", "applicationset", func(s *site) string { return fmt.Sprintf("server: %q", s.Access.URL) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := func(destination string) string {
				return render(t, "dev-time-slicing", small+fmt.Sprintf("gitops: argocd: {layout: %q, destination: {%s}}\n", c.layout, destination))
			}
			// What is to run is the same with any destination.
			s := startWith(t, at(`name: "spoke"`), harness.Options{Hub: true})
			if c.layout == "applicationset" {
				if err := s.ApplicationSets(); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Know(t.Context(), "spoke"); err != nil {
				t.Fatal(err)
			}
			tree := at(c.destination(s))
			s.commit(t, tree)
			s.applyRoot(t, tree)
			rest := s.settle(t, settleLimit)
			conditions := explain(t, rest)
			var hub []string
			for _, key := range slices.Sorted(maps.Keys(s.tracked(t))) {
				if here, ok := strings.CutPrefix(key, "hub's "); ok {
					hub = append(hub, here)
				} else if strings.Contains(key, ".argoproj.io ") {
					t.Errorf("at the cluster, where no Argo CD is: %s", key)
				}
			}
			want := []string{"AppProject.argoproj.io argocd/gpu-dev"}
			if c.layout == "applicationset" {
				want = append(want, "ApplicationSet.argoproj.io argocd/dev")
			}
			if slices.Sort(want); !slices.Equal(hub, want) {
				t.Errorf("at the hub: %v, want %v", hub, want)
			}
			s.staysAsItIs(t)
			note(t, fmt.Sprintf("hub, cluster %s, %s: %s, %s, no drift", c.name, c.layout, summary(rest), conditions))
		})
	}
}
