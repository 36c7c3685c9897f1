//go:build linux

// Package harness runs a Kubernetes cluster without machines, with Argo CD's own
// application controller and repo server in it, and hosts that answer for those
// that a tree names. It owns what runs and how long it takes; what a tree should
// come to, its tests say.
package harness

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
	"time"

	"github.com/alicebob/miniredis/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/gpugen/gpugen/e2e/apiserver/server"
	"github.com/gpugen/gpugen/e2e/argocd/hosts"
	"github.com/gpugen/gpugen/e2e/argocd/played"
	"github.com/gpugen/gpugen/e2e/argocd/sandbox"
)

const (
	// Namespace is that of Argo CD.
	Namespace = "argocd"
	// startLimit is for machines on which much else is going on.
	startLimit = 3 * time.Minute
	pollEvery  = 200 * time.Millisecond
)

// Programs are what the harness runs.
type Programs struct {
	// Dir holds cluster, helm, kustomize, gpugen, and Argo CD's commands.
	Dir string
	// ArgoCD is the source of Argo CD, for its manifests.
	ArgoCD string
}

// Harness is what runs.
type Harness struct {
	*hosts.Hosts
	*server.Server

	programs  Programs
	dir       string
	processes []*process
	cluster   *played.Cluster
	redis     *miniredis.Miniredis
	dynamic   dynamic.Interface
	client    kubernetes.Interface
	stopClock context.CancelFunc
}

// Start runs everything, in a sandbox that is prepared, as Kubernetes of the minor
// release. Each node is a name with labels.
func Start(ctx context.Context, programs Programs, dir, minor string, nodes map[string]map[string]string) (*Harness, error) {
	h := &Harness{programs: programs, dir: dir}
	if err := h.start(ctx, minor, nodes); err != nil {
		h.Stop()
		return nil, err
	}
	return h, nil
}

func (h *Harness) start(ctx context.Context, minor string, nodes map[string]map[string]string) error {
	for _, folder := range []string{"hosts", "tmp", "tls", "ssh", "gpg"} {
		if err := os.MkdirAll(h.in(folder), 0o755); err != nil {
			return err
		}
	}
	// Any user may put a socket there.
	if err := errors.Join(os.MkdirAll(sockets, 0o777), os.Chmod(sockets, 0o777)); err != nil {
		return err
	}
	var err error
	if h.Hosts, err = hosts.Start(h.in("hosts")); err != nil {
		return fmt.Errorf("hosts: %w", err)
	}
	if h.Server, err = server.Start(ctx, h.program("cluster"), minor); err != nil {
		return err
	}
	config := h.Access.Config()
	if h.client, err = kubernetes.NewForConfig(config); err != nil {
		return err
	}
	if h.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return err
	}
	if err := h.controllers(minor); err != nil {
		return err
	}
	if h.cluster, err = played.Start(context.WithoutCancel(ctx), config, nodes); err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	if err := h.install(ctx); err != nil {
		return fmt.Errorf("installing Argo CD: %w", err)
	}
	return h.argoCD(ctx)
}

func (h *Harness) in(name string) string      { return filepath.Join(h.dir, name) }
func (h *Harness) program(name string) string { return filepath.Join(h.programs.Dir, name) }

func (h *Harness) controllers(minor string) error {
	kubeconfig, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": h.Access.URL, "certificate-authority-data": []byte(h.Access.CA)}}},
		"users":    []any{map[string]any{"name": "c", "user": map[string]any{"token": h.Access.Token}}},
		"contexts": []any{map[string]any{"name": "c", "context": map[string]any{"cluster": "c", "user": "c"}}},
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(h.in("kubeconfig"), kubeconfig, 0o600); err != nil {
		return err
	}
	for _, name := range []string{"controllers", "scheduler"} {
		if err := h.run(name, os.Environ(), "cluster", name, minor, h.Server.Dir, h.in("kubeconfig")); err != nil {
			return err
		}
	}
	return nil
}

func (h *Harness) run(name string, environment []string, program string, arguments ...string) error {
	p, err := startProgram(h.dir, name, environment, h.program(program), arguments...)
	if err != nil {
		return err
	}
	h.processes = append(h.processes, p)
	return nil
}

// install applies Argo CD's own manifests, and the project that its API server
// makes when it starts.
func (h *Harness) install(ctx context.Context) error {
	if err := h.EnsureNamespace(ctx, Namespace); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(h.programs.ArgoCD, "manifests", "install.yaml"))
	if err != nil {
		return err
	}
	if err := h.ApplyAll(ctx, text, Namespace); err != nil {
		return err
	}
	return h.ApplyAll(ctx, []byte(`apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: default}
spec:
  sourceRepos: ["*"]
  destinations: [{server: "*", namespace: "*"}]
  clusterResourceWhitelist: [{group: "*", kind: "*"}]
`), Namespace)
}

// EnsureNamespace makes a namespace unless it is there.
func (h *Harness) EnsureNamespace(ctx context.Context, name string) error {
	return h.ApplyAll(ctx, fmt.Appendf(nil, "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", name), "")
}

// ApplyAll applies YAML documents, CRDs first; what names no namespace and needs
// one is put into the given one.
func (h *Harness) ApplyAll(ctx context.Context, text []byte, namespace string) error {
	var definitions, rest []*unstructured.Unstructured
	for document := range bytes.SplitSeq(text, []byte("\n---")) {
		var object unstructured.Unstructured
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			return err
		}
		switch {
		case len(object.Object) == 0:
		case object.GetKind() == "CustomResourceDefinition":
			definitions = append(definitions, &object)
		default:
			rest = append(rest, &object)
		}
	}
	for _, object := range definitions {
		if err := h.apply(ctx, object, ""); err != nil {
			return err
		}
	}
	if len(definitions) > 0 {
		if err := h.established(ctx, definitions); err != nil {
			return err
		}
	}
	for _, object := range rest {
		if err := h.apply(ctx, object, namespace); err != nil {
			return err
		}
	}
	return nil
}

func (h *Harness) apply(ctx context.Context, object *unstructured.Unstructured, namespace string) error {
	namespaced, err := h.Namespaced(object.GroupVersionKind())
	if err != nil {
		return err
	}
	if namespaced && object.GetNamespace() == "" {
		object.SetNamespace(namespace)
	}
	document, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	if answer := h.Apply(ctx, object, document); answer.Err != nil {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), answer.Err)
	}
	return nil
}

func (h *Harness) established(ctx context.Context, definitions []*unstructured.Unstructured) error {
	return wait.PollUntilContextTimeout(ctx, pollEvery, startLimit, true, func(ctx context.Context) (bool, error) {
		for _, object := range definitions {
			live := h.Get(ctx, object)
			if live.Err != nil {
				return false, live.Err
			}
			conditions, _, _ := unstructured.NestedSlice(live.Object.Object, "status", "conditions")
			ok := false
			for _, one := range conditions {
				condition, _ := one.(map[string]any)
				ok = ok || condition["type"] == "Established" && condition["status"] == "True"
			}
			if !ok {
				return false, nil
			}
		}
		if err := h.Discover(ctx); err != nil {
			return false, err
		}
		// Discovery learns of it later.
		for _, object := range definitions {
			group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
			kind, _, _ := unstructured.NestedString(object.Object, "spec", "names", "kind")
			version, _, _ := unstructured.NestedSlice(object.Object, "spec", "versions")
			for _, one := range version {
				name, _ := one.(map[string]any)["name"].(string)
				served, _ := one.(map[string]any)["served"].(bool)
				if _, err := h.Mapping(schema.GroupVersionKind{Group: group, Version: name, Kind: kind}); served && err != nil {
					return false, nil
				}
			}
		}
		return true, nil
	})
}

// argoCD starts what Argo CD's own Pods would run.
func (h *Harness) argoCD(ctx context.Context) error {
	// Miniredis has a clock of its own.
	h.redis = miniredis.NewMiniRedis()
	if err := h.redis.StartAddr("127.0.0.1:6379"); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	ticking, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stopClock = stop
	go func() {
		for ticking.Err() == nil {
			time.Sleep(time.Second)
			h.redis.FastForward(time.Second)
		}
	}()
	if err := h.account(ctx, "argocd-application-controller"); err != nil {
		return err
	}
	environment := h.environment()
	common := []string{"--redis", "argocd-redis:6379", "--loglevel", "info"}
	if err := h.run("repo-server", environment, "argocd-repo-server", common...); err != nil {
		return err
	}
	controller := append([]string{"--repo-server", "argocd-repo-server:8081", "--metrics-port", "18082"}, common...)
	return h.run("application-controller", environment, "argocd-application-controller", controller...)
}

// account has programs that look for the ServiceAccount of their Pod find this one.
func (h *Harness) account(ctx context.Context, name string) error {
	seconds := int64(24 * 60 * 60)
	var token *authenticationv1.TokenRequest
	err := wait.PollUntilContextTimeout(ctx, pollEvery, startLimit, true, func(ctx context.Context) (bool, error) {
		var err error
		token, err = h.client.CoreV1().ServiceAccounts(Namespace).CreateToken(ctx, name,
			&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
		return err == nil, nil
	})
	if err != nil {
		return err
	}
	const at = "secrets/kubernetes.io/serviceaccount/"
	return sandbox.Write(map[string][]byte{
		at + "token": []byte(token.Status.Token), at + "ca.crt": []byte(h.Access.CA), at + "namespace": []byte(Namespace),
	})
}

func (h *Harness) environment() []string {
	port := h.Access.URL[strings.LastIndex(h.Access.URL, ":")+1:]
	return []string{
		"PATH=" + h.programs.Dir + ":" + os.Getenv("PATH"),
		"HOME=" + h.in("tmp"), "TMPDIR=" + h.in("tmp"),
		"KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=" + port,
		"SSL_CERT_FILE=" + h.CA, "GIT_SSL_CAINFO=" + h.CA,
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"ARGOCD_GPG_ENABLED=false", "ARGOCD_TLS_DATA_PATH=" + h.in("tls"), "ARGOCD_SSH_DATA_PATH=" + h.in("ssh"),
		"ARGOCD_PLUGINSOCKFILEPATH=" + sockets, "POD_NAMESPACE=" + Namespace,
	}
}

// ApplicationSets runs the controller of ApplicationSets, which rolls out step by
// step.
func (h *Harness) ApplicationSets() error {
	return h.run("applicationset-controller", h.environment(), "argocd-applicationset-controller",
		"--argocd-repo-server", "argocd-repo-server:8081", "--enable-progressive-syncs", "--loglevel", "info",
		"--metrics-addr", "127.0.0.1:18080", "--probe-addr", "127.0.0.1:18081", "--webhook-addr", "127.0.0.1:17000")
}

// sockets is where plugins are found.
const sockets = "/run/plugins"

// pluginUser is that of the sidecar: runAsUser in deploy/argocd/sidecar.yaml.
const pluginUser = 999

// Plugin runs Argo CD's plugin server as the sidecar of the repo server does, with
// gpugen and a configuration.
func (h *Harness) Plugin(configuration []byte) error {
	const server, config = "/run/argocd/argocd-cmp-server", "plugin/plugin.yaml"
	err := errors.Join(
		sandbox.Add("/usr/local/bin/gpugen", h.program("gpugen")),
		sandbox.Bind(server, h.program("argo")),
		sandbox.Write(map[string][]byte{config: configuration}),
	)
	if err != nil {
		return err
	}
	command, err := sandbox.Confine(sandbox.Confinement{
		User: pluginUser, Writable: []string{sockets}, Temporary: "/tmp", Program: server,
		Arguments: []string{"--config-dir-path", "/run/plugin"},
	}, []string{"HOME=/tmp", "ARGOCD_PLUGINSOCKFILEPATH=" + sockets})
	if err != nil {
		return err
	}
	p, err := startCommand(h.dir, "cmp-server", command)
	if err != nil {
		return err
	}
	h.processes = append(h.processes, p)
	return nil
}

// Running returns what ended by itself.
func (h *Harness) Running() error {
	var out []error
	for _, p := range h.processes {
		out = append(out, p.running())
	}
	return errors.Join(out...)
}

// Stop ends everything, and returns the most memory that each process had, in
// bytes, by name.
func (h *Harness) Stop() map[string]int64 {
	peaks := map[string]int64{}
	for _, p := range h.processes {
		peaks[p.name] = p.stop()
	}
	if h.cluster != nil {
		h.cluster.Stop()
	}
	if h.redis != nil {
		h.stopClock()
		h.redis.Close()
	}
	if h.Server != nil {
		peaks["kube-apiserver"] = h.Server.Stop()
	}
	if h.Hosts != nil {
		h.Hosts.Stop()
	}
	return peaks
}

// Build compiles what the harness runs into dir, from the modules in module.
func Build(module, dir string) (Programs, error) {
	out := Programs{Dir: dir}
	// As Argo CD's own images are built, and Helm's.
	static := []string{"CGO_ENABLED=0"}
	for _, one := range []struct {
		module      string
		environment []string
		arguments   []string
	}{
		{module, nil, []string{"build", "-o", dir + "/", "./cluster"}},
		{filepath.Join(module, "tools"), static, []string{"build", "-o", dir + "/", "helm.sh/helm/v4/cmd/helm", "sigs.k8s.io/kustomize/kustomize/v5"}},
		{filepath.Join(module, "..", ".."), nil, []string{"build", "-o", dir + "/", "./cmd/gpugen"}},
		{filepath.Join(module, "argo"), static, []string{"build", "-o", dir + "/", "."}},
	} {
		if _, err := goTool(one.module, one.environment, one.arguments...); err != nil {
			return out, err
		}
	}
	for _, name := range []string{"application-controller", "repo-server", "cmp-server", "applicationset-controller"} {
		link := filepath.Join(dir, "argocd-"+name)
		_ = os.Remove(link)
		if err := os.Symlink("argo", link); err != nil {
			return out, err
		}
	}
	var err error
	if out.ArgoCD, err = goTool(filepath.Join(module, "argo"), nil, "list", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-cd/v3"); err != nil {
		return out, err
	}
	// The repo server calls it.
	script, err := os.ReadFile(filepath.Join(out.ArgoCD, "hack", "git-verify-wrapper.sh"))
	if err != nil {
		return out, err
	}
	return out, os.WriteFile(filepath.Join(dir, "git-verify-wrapper.sh"), script, 0o755)
}

func goTool(dir string, environment []string, arguments ...string) (string, error) {
	command := exec.Command("go", arguments...)
	command.Dir, command.Stderr = dir, os.Stderr
	command.Env = append(os.Environ(), environment...)
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: go %s: %w", dir, strings.Join(arguments, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
