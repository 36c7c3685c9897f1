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
	"github.com/gpugen/gpugen/e2e/argocd/hosts"
	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
)

// site is a cluster with the tree that is to run on it.
type site struct {
	*harness.Harness
	upstream, minor, dir string
	root                 *unstructured.Unstructured
	objects              map[string]any
	releases             []examples.Release
	// others are Applications that are none of the tree's.
	others []string
	// installed are the charts whose operators have brought their CRDs.
	installed map[string]bool
}

func newSite(tree, upstream string) (*site, error) {
	s := &site{upstream: upstream, installed: map[string]bool{}}
	if err := s.read(tree); err != nil {
		return nil, err
	}
	s.minor = "1.35"
	for _, release := range s.releases {
		parts := strings.SplitN(release.KubeVersion, ".", 3)
		s.minor = strings.Join(parts[:2], ".")
	}
	return s, nil
}

// read makes a tree the one that is expected.
func (s *site) read(tree string) error {
	text, err := os.ReadFile(filepath.Join(tree, "root.yaml"))
	if err != nil {
		return err
	}
	s.root = &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &s.root.Object); err != nil {
		return err
	}
	if s.objects, err = examples.LoadTree(tree); err != nil {
		return err
	}
	s.releases, err = examples.Releases(s.objects)
	return err
}

// nodes are enough for every Pod to have one.
func (s *site) nodes() map[string]map[string]string {
	return map[string]map[string]string{"control": {}, "gpu-1": {}}
}

// prepare has the hosts hold the charts, and the cluster what the tree rests on
// without bringing it.
func (s *site) prepare(ctx context.Context) error {
	source := fixture.Source{Facts: filepath.Join(root, "schema", "facts", "charts"), Upstream: s.upstream, Charts: os.Getenv(chartsVariable)}
	made := map[string]bool{}
	for _, release := range s.releases {
		id := release.RepoURL + " " + release.Chart + " " + release.Version
		if made[id] {
			continue
		}
		made[id] = true
		chart, err := source.Make(release.Chart, release.Version)
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
	brought := map[string]bool{s.root.GetNamespace(): true, "default": true, "kube-system": true}
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

// commit puts a tree where the root Application looks for it, and makes it the one
// that is expected.
func (s *site) commit(t *testing.T, tree string) *hosts.Repository {
	t.Helper()
	if err := s.read(tree); err != nil {
		t.Fatal(err)
	}
	address, _, _ := unstructured.NestedString(s.root.Object, "spec", "source", "repoURL")
	path, _, _ := unstructured.NestedString(s.root.Object, "spec", "source", "path")
	// The root looks at the folder of Applications.
	path = strings.TrimSuffix(path, "/argocd")
	repository, err := s.Repository(address)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repository.Commit(path, tree, "render"); err != nil {
		t.Fatal(err)
	}
	return repository
}

// applyRoot is what the README of a tree tells a person to do.
func (s *site) applyRoot(t *testing.T, tree string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tree, "root.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Hub.ApplyAll(t.Context(), text, s.root.GetNamespace()); err != nil {
		t.Fatal(err)
	}
}

// rest is what the Applications came to.
type rest struct {
	applications []harness.Application
	took         time.Duration
	// retries are the most of one sync, by Application.
	retries map[string]int
	// began and ended say when the first sync of an Application began, and when one
	// had first succeeded.
	began, ended map[string]time.Time
}

// saw takes down what an Application says of its sync.
func (r *rest) saw(one harness.Application) {
	operation := one.Status.OperationState
	r.retries[one.Name] = max(r.retries[one.Name], operation.RetryCount)
	if r.began[one.Name].IsZero() {
		r.began[one.Name] = operation.StartedAt
	}
	if r.ended[one.Name].IsZero() && operation.Phase == "Succeeded" {
		r.ended[one.Name] = operation.FinishedAt
	}
}

// nudgeAfter is how long a person would look before pressing the button.
const nudgeAfter = 10 * time.Second

// settle waits until all Applications of the tree, and no others, are Synced and
// Healthy, and stay so.
func (s *site) settle(t *testing.T, limit time.Duration) rest {
	t.Helper()
	return s.settleOn(t, s.applications(), limit)
}

// settleOn does so for Applications by their names, in order.
func (s *site) settleOn(t *testing.T, want []string, limit time.Duration) rest {
	t.Helper()
	out := rest{retries: map[string]int{}, began: map[string]time.Time{}, ended: map[string]time.Time{}}
	began := time.Now()
	timeline, err := os.OpenFile(filepath.Join(s.dir, "timeline.txt"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer timeline.Close()
	fmt.Fprintf(timeline, "== %s\n", t.Name())
	seen := map[string]string{}
	nudged := began
	for quiet := 0; quiet < 4; time.Sleep(500 * time.Millisecond) {
		if out.applications, err = s.Applications(t.Context()); err != nil {
			t.Fatal(err)
		}
		var names, unsettled []string
		for _, one := range out.applications {
			names = append(names, one.Name)
			out.saw(one)
			now := state(one)
			if seen[one.Name] != now {
				seen[one.Name] = now
				fmt.Fprintf(timeline, "%6.1f %s: %s\n", time.Since(began).Seconds(), one.Name, now)
			}
			if !resting(one) {
				unsettled = append(unsettled, one.Name+": "+now)
			}
			if err := s.operate(t.Context(), one); err != nil {
				t.Fatal(err)
			}
		}
		quiet++
		if len(unsettled) > 0 || !slices.Equal(names, want) {
			quiet = 0
			out.took = time.Since(began)
		}
		if out.took > limit {
			t.Fatalf("not at rest after %v: Applications %v, of %v\n%s", limit, names, want, strings.Join(unsettled, "\n"))
		}
		// Argo CD may see a Pod that became ready, or a CRD that it applied, with its next
		// look only, minutes later.
		if time.Since(nudged) > nudgeAfter {
			nudged = time.Now()
			for _, one := range out.applications {
				if !resting(one) && one.DeletionTimestamp == nil && one.Status.OperationState.Phase != "Running" {
					if err := s.Annotate(t.Context(), one.Name, harness.Refresh, "normal"); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if err := s.Running(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// resting tells whether nothing is left to do. What an Application finds as it
// should be is never synced.
func resting(one harness.Application) bool {
	phase := one.Status.OperationState.Phase
	return one.DeletionTimestamp == nil && one.Status.Sync.Status == "Synced" && one.Status.Health.Status == "Healthy" && (phase == "Succeeded" || phase == "")
}

// applications are the names of those that are to be there: the tree's, the root among
// them, and others.
func (s *site) applications() []string {
	out := slices.Clone(s.others)
	for _, object := range s.objects {
		one := unstructured.Unstructured{}
		if one.Object, _ = object.(map[string]any); one.GetKind() == "Application" {
			out = append(out, one.GetName())
		}
	}
	slices.Sort(out)
	return out
}

// state is what a person would see of an Application.
func state(one harness.Application) string {
	op := one.Status.OperationState
	out := fmt.Sprintf("%s %s, %s", one.Status.Sync.Status, one.Status.Health.Status, op.Phase)
	if op.RetryCount > 0 {
		out += fmt.Sprintf(" (retry %d)", op.RetryCount)
	}
	if op.Phase != "Succeeded" && op.Message != "" {
		out += ": " + firstLine(op.Message)
	}
	for _, r := range one.Status.Resources {
		if r.Status == "OutOfSync" && one.Status.Sync.Status == "OutOfSync" && op.Phase == "Succeeded" {
			out += "\n         out of sync: " + r.Kind + " " + r.Namespace + "/" + r.Name
		}
		if one.Status.Health.Status != "Healthy" && r.Health.Status != "" && r.Health.Status != "Healthy" && r.Health.Status != "Missing" {
			out += "\n         " + r.Health.Status + ": " + r.Kind + " " + r.Namespace + "/" + r.Name + " " + firstLine(r.Health.Message)
		}
	}
	for _, condition := range one.Status.Conditions {
		out += "\n         " + condition.Type + ": " + firstLine(condition.Message)
	}
	return out
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return fmt.Sprintf("%.400s", line)
}

// operate has the operator of a chart that is installed bring the CRDs that no
// chart has.
func (s *site) operate(ctx context.Context, one harness.Application) error {
	for _, release := range s.releases {
		if release.Application != one.Name || one.Status.OperationState.Phase != "Succeeded" || s.installed[one.Name] {
			continue
		}
		s.installed[one.Name] = true
		if err := s.define(ctx, crd.OperatorDefinitionFiles, crd.ChartVersion{Name: release.Chart, Version: release.Version}); err != nil {
			return err
		}
	}
	return nil
}
