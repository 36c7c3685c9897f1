//go:build linux

package flux_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/e2e/apiserver/server"
	"github.com/gpugen/gpugen/e2e/argocd/fixture"
	"github.com/gpugen/gpugen/e2e/argocd/hosts"
	"github.com/gpugen/gpugen/e2e/argocd/played"
	"github.com/gpugen/gpugen/e2e/argocd/sandbox"
	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

const (
	root = "../.."
	tree = root + "/golden/flux-h100"
	// build is where programs and logs are.
	build = root + "/build/flux"
	minor = "1.35"

	namespace  = "flux-system"
	repository = "https://git.example.com/platform/gpu.git"
	path       = "clusters/flux-h100/tree"

	// kustomizations of the tree, with its root.
	kustomizations = 8

	skipVariable = "GPUGEN_FLUX_SKIP"
)

// named are the hosts that the tree and the GitRepository name.
var named = []string{"git.example.com", "helm.ngc.nvidia.com", "registry.k8s.io"}

var controllers = []string{"source-controller", "kustomize-controller", "helm-controller"}

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run has the test run in a sandbox, where hosts have the names that the tree has for
// them; where there can be none, it skips itself.
func run(m *testing.M) (int, error) {
	if sandbox.Inside() {
		if err := sandbox.Prepare(played.Address, named, nil); err != nil {
			return 0, err
		}
		return m.Run(), nil
	}
	if err := sandbox.Possible(); err != nil {
		return m.Run(), os.Setenv(skipVariable, err.Error())
	}
	programs, err := filepath.Abs(filepath.Join(build, "bin"))
	if err != nil {
		return 0, err
	}
	for _, one := range [][]string{
		{"../argocd", "build", "-o", programs + "/", "./cluster"},
		{"../..", "build", "-o", programs + "/", "./cmd/gpugen"},
		{"tools", "build", "-o", programs + "/", "github.com/fluxcd/source-controller", "github.com/fluxcd/kustomize-controller", "github.com/fluxcd/helm-controller"},
	} {
		command := exec.Command("go", one[1:]...)
		command.Dir, command.Stderr = one[0], os.Stderr
		if err := command.Run(); err != nil {
			return 0, fmt.Errorf("%s: %w", one[0], err)
		}
	}
	return sandbox.Rerun()
}

// site is a cluster that Flux reconciles.
type site struct {
	*hosts.Hosts
	// Server is the cluster's, hub that of the one which Flux runs in: the same, unless
	// the tree names a kubeconfig.
	*server.Server
	hub *server.Server
	dir string
	// dynamic and flux are clients of the two.
	dynamic, flux dynamic.Interface
}

// TestFluxReconcilesTheTree: the root is applied as the tree's README says, and every
// Kustomization and HelmRelease becomes Ready; nothing changes at a second look, what a
// person changes is changed back, and what leaves the tree is kept or goes as the spec's
// deletion says.
func TestFluxReconcilesTheTree(t *testing.T) {
	if reason := os.Getenv(skipVariable); reason != "" {
		t.Skip(reason)
	}
	s := start(t, tree, false)
	began := time.Now()
	git := s.follow(t, path, tree)
	kinds := s.settle(t, kustomizations, 2)
	t.Logf("%d Kustomizations and %d HelmReleases Ready after %.0f s", kinds["Kustomization"], kinds["HelmRelease"], time.Since(began).Seconds())

	t.Run("what a person changes is changed back", func(t *testing.T) {
		flavors := s.dynamic.Resource(schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: "resourceflavors"})
		if _, err := flavors.Patch(t.Context(), "h100", types.MergePatchType, []byte(`{"spec": {"nodeLabels": {"node.example.com/pool": "other"}}}`), metav1.PatchOptions{FieldManager: "kubectl-edit"}); err != nil {
			t.Fatal(err)
		}
		s.reconcile(t, "Kustomization", "flux-h100-queues")
		s.eventually(t, "the flavor is as in git", func() bool {
			live, err := flavors.Get(t.Context(), "h100", metav1.GetOptions{})
			if err != nil {
				return false
			}
			label, _, _ := unstructured.NestedString(live.Object, "spec", "nodeLabels", "node.example.com/pool")
			return label == "h100"
		})
	})

	t.Run("what leaves the tree stays in the cluster, as deletion: keep says", func(t *testing.T) {
		without := t.TempDir()
		if err := os.CopyFS(without, os.DirFS(tree)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(without, "kustomization.yaml")
		text := string(read(t, file))
		for _, gone := range []string{"kustomization-tenant-research", "kustomization-smoke-tests", "kustomization-gpu-operator", "helmrelease-gpu-operator", "helmrepository-gpu-operator"} {
			text = strings.Replace(text, "- flux/"+gone+".yaml\n", "", 1)
			if err := os.Remove(filepath.Join(without, "flux", gone+".yaml")); err != nil {
				t.Fatal(err)
			}
		}
		for _, dir := range []string{"tenant-research", "smoke-tests", "gpu-operator"} {
			if err := os.RemoveAll(filepath.Join(without, dir)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := git.Commit(path, without, "a tenant and two components less"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"flux-h100-tenant-research", "flux-h100-smoke-tests", "flux-h100-gpu-operator"} {
			s.eventually(t, "Kustomization "+name+" is gone", func() bool {
				there, err := s.Exists(t.Context(), object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", namespace, name))
				return err == nil && !there
			})
		}
		// What is there now is sound, and nothing of what was made is gone.
		s.settle(t, kustomizations-3, 2)
		// The charts brought kinds.
		if err := s.Discover(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, o := range []*unstructured.Unstructured{
			object("v1", "Namespace", "", "research"), object("kueue.x-k8s.io/v1beta2", "ClusterQueue", "", "research"),
			object("v1", "Namespace", "", "gpu-operator"), object("batch/v1", "CronJob", "gpu-smoke-tests", "cuda-h100-gpu"), // Helm's own note of the release.
			object("v1", "Secret", "gpu-operator", "sh.helm.release.v1.gpu-operator.v1"),
			object("source.toolkit.fluxcd.io/v1", "HelmRepository", namespace, "flux-h100-gpu-operator"),
		} {
			if there, err := s.Exists(t.Context(), o); err != nil || !there {
				t.Errorf("%s %s is gone (%v)", o.GetKind(), o.GetName(), err)
			}
		}
	})
}

// follow commits a tree, has Flux follow the repository, and applies the root.
func (s *site) follow(t *testing.T, path, tree string) *hosts.Repository {
	t.Helper()
	git, err := s.Repository(repository)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := git.Commit(path, tree, "render"); err != nil {
		t.Fatal(err)
	}
	s.apply(t, []byte(`apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 5s, url: "`+repository+`", ref: {branch: main}}
`))
	s.apply(t, read(t, filepath.Join(tree, "root.yaml")))
	return git
}

func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// start runs the cluster, the hosts with the charts of a tree, and Flux, in a cluster of its
// own if it is to be a hub.
func start(t *testing.T, tree string, hub bool) *site {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(build, "runs", t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, "hosts"), 0o755), os.MkdirAll(filepath.Join(dir, "tmp"), 0o755)); err != nil {
		t.Fatal(err)
	}
	s := &site{dir: dir}
	if s.Hosts, err = hosts.Start(filepath.Join(dir, "hosts")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Hosts.Stop)
	if s.Server, err = server.Start(t.Context(), program("cluster"), minor); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Server.Stop() })
	if s.dynamic, err = dynamic.NewForConfig(s.Access.Config()); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(config, kubeconfig(t, s.Server), 0o600); err != nil {
		t.Fatal(err)
	}
	s.hub, s.flux = s.Server, s.dynamic
	fluxConfig := config
	if hub {
		if s.hub, err = server.Start(t.Context(), program("cluster"), minor); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.hub.Stop() })
		if s.flux, err = dynamic.NewForConfig(s.hub.Access.Config()); err != nil {
			t.Fatal(err)
		}
		fluxConfig = filepath.Join(dir, "hub-kubeconfig")
		if err := os.WriteFile(fluxConfig, kubeconfig(t, s.hub), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"controllers", "scheduler"} {
		s.run(t, name, os.Environ(), "cluster", name, minor, s.Server.Dir, config)
	}
	cluster, err := played.Start(context.WithoutCancel(t.Context()), s.Access.Config(), map[string]map[string]string{"control": {}, "gpu-1": {}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	s.charts(t, tree)

	files, err := crd.FluxDefinitionFiles("tools")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		s.apply(t, read(t, file))
	}
	s.apply(t, []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: flux-system}\n"))
	s.eventually(t, "Flux's kinds are served", func() bool {
		_, err := s.hub.Mapping(schema.GroupVersionKind{Group: "source.toolkit.fluxcd.io", Version: "v1", Kind: "OCIRepository"})
		_, err2 := s.hub.Mapping(schema.GroupVersionKind{Group: "helm.toolkit.fluxcd.io", Version: "v2", Kind: "HelmRelease"})
		_, err3 := s.hub.Mapping(schema.GroupVersionKind{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Kind: "Kustomization"})
		return errors.Join(err, err2, err3) == nil || s.hub.Discover(t.Context()) != nil
	})
	environment := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "tmp"), "TMPDIR=" + filepath.Join(dir, "tmp"),
		"KUBECONFIG=" + fluxConfig, "SSL_CERT_FILE=" + s.CA, "RUNTIME_NAMESPACE=" + namespace,
	}
	for i, name := range controllers {
		flags := []string{"--enable-leader-election=false", "--events-addr=", "--interval-jitter-percentage=0", fmt.Sprintf("--metrics-addr=127.0.0.1:%d", 18080+i), fmt.Sprintf("--health-addr=127.0.0.1:%d", 19440+i)}
		if name == "source-controller" {
			flags = append(flags, "--storage-path="+filepath.Join(dir, "tmp"), "--storage-addr=127.0.0.1:19090", "--storage-adv-addr=127.0.0.1:19090")
		} else {
			flags = append(flags, "--requeue-dependency=2s")
		}
		s.run(t, name, environment, name, flags...)
	}
	return s
}

func kubeconfig(t *testing.T, s *server.Server) []byte {
	t.Helper()
	out, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": s.Access.URL, "certificate-authority-data": []byte(s.Access.CA)}}},
		"users":    []any{map[string]any{"name": "c", "user": map[string]any{"token": s.Access.Token}}},
		"contexts": []any{map[string]any{"name": "c", "context": map[string]any{"cluster": "c", "user": "c"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func program(name string) string {
	out, err := filepath.Abs(filepath.Join(build, "bin", name))
	if err != nil {
		panic(err)
	}
	return out
}

// run starts a program, which ends with the test.
func (s *site) run(t *testing.T, log string, environment []string, name string, arguments ...string) {
	t.Helper()
	file, err := os.Create(filepath.Join(s.dir, log+".log"))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program(name), arguments...)
	command.Env, command.Dir, command.Stdout, command.Stderr = environment, s.dir, file, file
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = file.Close()
	})
}

// charts has the hosts hold charts that stand in for those of the tree, and the cluster
// the kinds that the tree rests on.
func (s *site) charts(t *testing.T, tree string) {
	t.Helper()
	upstream := upstreamtest.Dir(t)
	objects, err := examples.LoadTree(tree)
	if err != nil {
		t.Fatal(err)
	}
	releases, err := examples.Releases(objects)
	if err != nil || len(releases) == 0 {
		t.Fatal("no releases", err)
	}
	source := fixture.Source{Facts: filepath.Join(root, "schema", "facts", "charts"), Upstream: upstream}
	for _, release := range releases {
		chart, err := source.Make(release.Chart, release.Version)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AddChart(t.Context(), release.RepoURL, chart.Name, chart.Version, chart.Metadata, chart.Archive); err != nil {
			t.Fatal(err)
		}
	}
}

// apply applies YAML documents where Flux runs, each when the server knows its kind.
func (s *site) apply(t *testing.T, text []byte) {
	t.Helper()
	for document := range bytes.SplitSeq(text, []byte("\n---")) {
		var o unstructured.Unstructured
		if err := yaml.Unmarshal(document, &o.Object); err != nil {
			t.Fatal(err)
		}
		if len(o.Object) == 0 {
			continue
		}
		data, err := o.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var last error
		s.eventually(t, o.GetKind()+" "+o.GetName()+" is applied", func() bool {
			if last = s.hub.Apply(t.Context(), &o, data).Err; last != nil {
				_ = s.hub.Discover(t.Context())
			}
			return last == nil
		})
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// limit is for machines on which much else is going on.
const limit = 8 * time.Minute

func (s *site) eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(300 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("after %s not: %s", limit, what)
		}
	}
}

var resources = map[string]schema.GroupVersionResource{
	"Kustomization": {Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Resource: "kustomizations"},
	"HelmRelease":   {Group: "helm.toolkit.fluxcd.io", Version: "v2", Resource: "helmreleases"},
}

// reconcile asks Flux to look at an object now, as its command line does.
func (s *site) reconcile(t *testing.T, kind, name string) {
	t.Helper()
	patch := fmt.Sprintf(`{"metadata": {"annotations": {"reconcile.fluxcd.io/requestedAt": %q}}}`, time.Now().Format(time.RFC3339Nano))
	if _, err := s.flux.Resource(resources[kind]).Namespace(namespace).Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// settle waits until all of Flux's objects are Ready, so many Kustomizations and releases
// as are wanted. It returns how many of each kind there are.
func (s *site) settle(t *testing.T, want, releases int) map[string]int {
	t.Helper()
	count := map[string]int{}
	var waiting []string
	for began := time.Now(); ; time.Sleep(time.Second) {
		s.playQueues(t)
		waiting, count = nil, map[string]int{}
		for kind, resource := range resources {
			found, err := s.flux.Resource(resource).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range found.Items {
				o := &found.Items[i]
				count[kind]++
				if status, message := ready(o); status != "True" {
					waiting = append(waiting, fmt.Sprintf("%s %s: Ready %s: %s", kind, o.GetName(), status, message))
				}
			}
		}
		if len(waiting) == 0 && count["Kustomization"] == want && count["HelmRelease"] == releases {
			return count
		}
		if time.Since(began) > limit {
			t.Fatalf("not ready after %s, of %d Kustomizations and %d HelmReleases:\n%s", limit, count["Kustomization"], count["HelmRelease"], strings.Join(waiting, "\n"))
		}
	}
}

// ready is the condition of that name, of the generation that there is.
func ready(o *unstructured.Unstructured) (status, message string) {
	generation, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, one := range conditions {
		condition, _ := one.(map[string]any)
		if condition["type"] == "Ready" {
			status, _ = condition["status"].(string)
			message, _ = condition["message"].(string)
		}
	}
	if generation != o.GetGeneration() {
		status = "Unknown"
	}
	return status, message
}

// playQueues says of Kueue's queues what Kueue would: that they are active.
func (s *site) playQueues(t *testing.T) {
	t.Helper()
	for _, name := range []string{"clusterqueues", "localqueues"} {
		resource := s.dynamic.Resource(schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2", Resource: name})
		// Before the chart is there, nobody knows the kind.
		found, err := resource.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			continue
		}
		for _, o := range found.Items {
			if conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions"); len(conditions) > 0 {
				continue
			}
			patch := fmt.Sprintf(`{"status": {"conditions": [{"type": "Active", "status": "True", "reason": "Ready", "message": "played", "lastTransitionTime": %q}]}}`, time.Now().UTC().Format(time.RFC3339))
			if _, err := resource.Namespace(o.GetNamespace()).Patch(t.Context(), o.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status"); err != nil {
				t.Fatal(err)
			}
		}
	}
}
