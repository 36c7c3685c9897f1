//go:build linux

package harness_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/e2e/argocd/fixture"
	"github.com/gpugen/gpugen/e2e/argocd/harness"
	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
)

// site is a cluster with the tree that is to run on it.
type site struct {
	*harness.Harness
	upstream, minor string
	root            *unstructured.Unstructured
	objects         map[string]any
	releases        []examples.Release
	// installed are the charts whose operators have brought their CRDs.
	installed map[string]bool
}

func newSite(tree, upstream string) (*site, error) {
	s := &site{upstream: upstream, installed: map[string]bool{}}
	text, err := os.ReadFile(filepath.Join(tree, "root.yaml"))
	if err != nil {
		return nil, err
	}
	s.root = &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &s.root.Object); err != nil {
		return nil, err
	}
	if s.objects, err = examples.LoadTree(tree); err != nil {
		return nil, err
	}
	if s.releases, err = examples.Releases(s.objects); err != nil {
		return nil, err
	}
	s.minor = "1.35"
	for _, release := range s.releases {
		parts := strings.SplitN(release.KubeVersion, ".", 3)
		s.minor = strings.Join(parts[:2], ".")
	}
	return s, nil
}

// nodes are enough for every Pod to have one.
func (s *site) nodes() map[string]map[string]string {
	return map[string]map[string]string{"control": {}, "gpu-1": {}}
}

// prepare has the hosts hold the charts, and the cluster what the tree rests on
// without bringing it.
func (s *site) prepare(ctx context.Context) error {
	source := fixture.Source{Facts: filepath.Join(root, "schema", "facts", "charts"), Upstream: s.upstream}
	for _, release := range s.releases {
		chart, err := source.Make(release.Chart, release.Version, release.Name)
		if err != nil {
			return fmt.Errorf("%s: %w", release.Chart, err)
		}
		if err := s.AddChart(ctx, release.RepoURL, chart.Name, chart.Version, chart.Metadata, chart.Archive); err != nil {
			return err
		}
	}
	for _, chart := range crd.Beneath {
		if err := s.define(ctx, crd.DefinitionFiles, chart); err != nil {
			return err
		}
	}
	brought := map[string]bool{"argocd": true, "default": true, "kube-system": true}
	used := map[string]bool{}
	for _, object := range s.objects {
		one := unstructured.Unstructured{}
		one.Object, _ = object.(map[string]any)
		if one.GetKind() == "Namespace" {
			brought[one.GetName()] = true
		}
		used[one.GetNamespace()] = true
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if name != "" && !brought[name] {
			if err := s.EnsureNamespace(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// define has the cluster know the CRDs of a chart.
func (s *site) define(ctx context.Context, which func(string, crd.ChartVersion) ([]string, error), chart crd.ChartVersion) error {
	files, err := which(s.upstream, chart)
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := s.ApplyAll(ctx, text, ""); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// publish commits the tree where the root Application looks for it, and applies
// the root.
func (s *site) publish(t *testing.T, tree string) {
	t.Helper()
	address, _, _ := unstructured.NestedString(s.root.Object, "spec", "source", "repoURL")
	path, _, _ := unstructured.NestedString(s.root.Object, "spec", "source", "path")
	repository, err := s.Repository(address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repository.Commit(path, tree, "render"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(tree, "root.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ApplyAll(t.Context(), text, harness.Namespace); err != nil {
		t.Fatal(err)
	}
}

// settle waits until all Applications are Synced and rest.
func (s *site) settle(t *testing.T, limit time.Duration) []harness.Application {
	t.Helper()
	want := 0
	for name := range s.objects {
		if strings.HasPrefix(name, "Application/") || strings.HasPrefix(name, "Application.argoproj.io/") {
			want++
		}
	}
	began := time.Now()
	seen := map[string]string{}
	quiet := 0
	for {
		all, err := s.Applications(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		resting := len(all) == want
		for _, one := range all {
			op := one.Status.OperationState
			state := fmt.Sprintf("%s %s %s retries=%d objects=%d %.300s", one.Status.Sync.Status, one.Status.Health.Status, op.Phase, op.RetryCount, len(one.Status.Resources), op.Message)
			for _, c := range one.Status.Conditions {
				state += "\n      " + c.Type + ": " + fmt.Sprintf("%.400s", c.Message)
			}
			if seen[one.Name] != state {
				seen[one.Name] = state
				t.Logf("%5.1f %s: %s", time.Since(began).Seconds(), one.Name, state)
			}
			resting = resting && one.Status.Sync.Status == "Synced" && op.Phase == "Succeeded"
			for _, release := range s.releases {
				if release.Application == one.Name && op.Phase == "Succeeded" && !s.installed[one.Name] {
					s.installed[one.Name] = true
					if err := s.define(t.Context(), crd.OperatorDefinitionFiles, crd.ChartVersion{Name: release.Chart, Version: release.Version}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if resting {
			quiet++
		} else {
			quiet = 0
		}
		if quiet == 5 {
			return all
		}
		if time.Since(began) > limit {
			t.Fatalf("%d of %d Applications; not at rest after %v", len(all), want, limit)
		}
		if err := s.Running(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
	}
}
