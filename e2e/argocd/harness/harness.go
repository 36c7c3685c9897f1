//go:build linux

// Package harness runs a Kubernetes cluster without machines, with Argo CD's own
// application controller and repo server in it, and hosts that answer for those
// that a tree names. It owns what runs and how long it takes; what a tree should
// come to, its tests say.
package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/gpugen/gpugen/e2e/argocd/hosts"
	"github.com/gpugen/gpugen/e2e/argocd/played"
	"github.com/gpugen/gpugen/e2e/argocd/sandbox"
)

const (
	// startLimit is for machines on which much else is going on.
	startLimit = 6 * time.Minute
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
	// Cluster is the one with the nodes.
	*Cluster
	// Hub is the cluster that Argo CD runs in: that with the nodes, or one of its own.
	Hub *Cluster

	options   Options
	programs  Programs
	dir       string
	processes []*process
	played    *played.Cluster
	redis     *miniredis.Miniredis
	stopClock context.CancelFunc
}

// Options say what is to run.
type Options struct {
	// Minor is the Kubernetes release.
	Minor string
	// Namespace is that of Argo CD.
	Namespace string
	// Nodes are names with labels.
	Nodes map[string]map[string]string
	// Hub has Argo CD run in a cluster of its own.
	Hub bool
}

// Start runs everything, in a sandbox that is prepared.
func Start(ctx context.Context, programs Programs, dir string, options Options) (*Harness, error) {
	h := &Harness{options: options, programs: programs, dir: dir}
	if err := h.start(ctx); err != nil {
		h.Stop()
		return nil, err
	}
	return h, nil
}

func (h *Harness) start(ctx context.Context) error {
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
	if h.Cluster, err = startCluster(ctx, h.program("cluster"), h.options.Minor); err != nil {
		return err
	}
	if err := h.control(h.Cluster, ""); err != nil {
		return err
	}
	if err := h.run("scheduler", os.Environ(), "cluster", "scheduler", h.options.Minor, h.Cluster.Dir, h.in("kubeconfig")); err != nil {
		return err
	}
	if h.played, err = played.Start(context.WithoutCancel(ctx), h.Access.Config(), h.options.Nodes); err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	h.Hub = h.Cluster
	if h.options.Hub {
		if h.Hub, err = startCluster(ctx, h.program("cluster"), h.options.Minor); err != nil {
			return err
		}
		if err := h.control(h.Hub, "hub-"); err != nil {
			return err
		}
	}
	if err := h.install(ctx); err != nil {
		return fmt.Errorf("installing Argo CD: %w", err)
	}
	return h.argoCD(ctx)
}

func (h *Harness) in(name string) string      { return filepath.Join(h.dir, name) }
func (h *Harness) program(name string) string { return filepath.Join(h.programs.Dir, name) }

// control runs the controllers of a cluster.
func (h *Harness) control(c *Cluster, prefix string) error {
	kubeconfig, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": c.Access.URL, "certificate-authority-data": []byte(c.Access.CA)}}},
		"users":    []any{map[string]any{"name": "c", "user": map[string]any{"token": c.Access.Token}}},
		"contexts": []any{map[string]any{"name": "c", "context": map[string]any{"cluster": "c", "user": "c"}}},
	})
	if err != nil {
		return err
	}
	file := h.in(prefix + "kubeconfig")
	if err := os.WriteFile(file, kubeconfig, 0o600); err != nil {
		return err
	}
	return h.run(prefix+"controllers", os.Environ(), "cluster", "controllers", h.options.Minor, c.Dir, file)
}

func (h *Harness) run(name string, environment []string, program string, arguments ...string) error {
	p, err := startProgram(h.dir, name, environment, h.program(program), arguments...)
	if err != nil {
		return err
	}
	h.processes = append(h.processes, p)
	return nil
}

// inNamespace is where Argo CD's manifests name the namespace of their accounts.
var inNamespace = regexp.MustCompile(`(?m)^( *namespace: )argocd$`)

// install applies Argo CD's own manifests, and the project that its API server
// makes when it starts.
func (h *Harness) install(ctx context.Context) error {
	if err := h.Hub.EnsureNamespace(ctx, h.options.Namespace); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(h.programs.ArgoCD, "manifests", "install.yaml"))
	if err != nil {
		return err
	}
	if err := h.Hub.ApplyAll(ctx, inNamespace.ReplaceAll(text, []byte("${1}"+h.options.Namespace)), h.options.Namespace); err != nil {
		return err
	}
	return h.Hub.ApplyAll(ctx, []byte(`apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: default}
spec:
  sourceRepos: ["*"]
  destinations: [{server: "*", namespace: "*"}]
  clusterResourceWhitelist: [{group: "*", kind: "*"}]
`), h.options.Namespace)
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
		token, err = h.Hub.client.CoreV1().ServiceAccounts(h.options.Namespace).CreateToken(ctx, name,
			&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
		return err == nil, nil
	})
	if err != nil {
		return err
	}
	const at = "secrets/kubernetes.io/serviceaccount/"
	return sandbox.Write(map[string][]byte{
		at + "token": []byte(token.Status.Token), at + "ca.crt": []byte(h.Hub.Access.CA), at + "namespace": []byte(h.options.Namespace),
	})
}

func (h *Harness) environment() []string {
	port := h.Hub.Access.URL[strings.LastIndex(h.Hub.Access.URL, ":")+1:]
	return []string{
		"PATH=" + h.programs.Dir + ":" + os.Getenv("PATH"),
		"HOME=" + h.in("tmp"), "TMPDIR=" + h.in("tmp"),
		"KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=" + port,
		"SSL_CERT_FILE=" + h.CA, "GIT_SSL_CAINFO=" + h.CA,
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"ARGOCD_GPG_ENABLED=false", "ARGOCD_TLS_DATA_PATH=" + h.in("tls"), "ARGOCD_SSH_DATA_PATH=" + h.in("ssh"),
		"ARGOCD_PLUGINSOCKFILEPATH=" + sockets, "POD_NAMESPACE=" + h.options.Namespace,
		// What takes too long is an error that is remembered for an hour, and says more
		// of the machine than of the tree.
		"ARGOCD_EXEC_TIMEOUT=10m", "ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_TIMEOUT_SECONDS=600",
		"ARGOCD_APPLICATIONSET_CONTROLLER_REPO_SERVER_TIMEOUT_SECONDS=600",
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
// gpugen and a configuration, and waits until it listens.
func (h *Harness) Plugin(ctx context.Context, configuration []byte) error {
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
	// An Application that asks for a plugin that is not there yet has an error, and
	// keeps it until it is refreshed.
	return wait.PollUntilContextTimeout(ctx, pollEvery, startLimit, true, func(context.Context) (bool, error) {
		found, err := filepath.Glob(filepath.Join(sockets, "*.sock"))
		return len(found) > 0, errors.Join(err, p.running())
	})
}

// Helm runs Helm on the cluster with the nodes.
func (h *Harness) Helm(ctx context.Context, arguments ...string) error {
	command := exec.CommandContext(ctx, h.program("helm"), append(arguments, "--kubeconfig", h.in("kubeconfig"))...)
	command.Env = h.environment()
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("helm %s: %w\n%s", strings.Join(arguments, " "), err, out)
	}
	return nil
}

// Know has Argo CD in a hub know the cluster with the nodes by a name, as `argocd
// cluster add` would.
func (h *Harness) Know(ctx context.Context, name string) error {
	config, err := json.Marshal(map[string]any{"bearerToken": h.Access.Token, "tlsClientConfig": map[string]any{"caData": []byte(h.Access.CA)}})
	if err != nil {
		return err
	}
	secret, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"name": "cluster-" + name, "labels": map[string]any{"argocd.argoproj.io/secret-type": "cluster"}},
		"stringData": map[string]any{"name": name, "server": h.Access.URL, "config": string(config)},
	})
	if err != nil {
		return err
	}
	return h.Hub.ApplyAll(ctx, secret, h.options.Namespace)
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
	if h.played != nil {
		h.played.Stop()
	}
	if h.redis != nil {
		h.stopClock()
		h.redis.Close()
	}
	if h.Cluster != nil {
		peaks["kube-apiserver"] = h.Cluster.Stop()
	}
	if h.Hub != nil && h.Hub != h.Cluster {
		peaks["hub-kube-apiserver"] = h.Hub.Stop()
	}
	if h.Hosts != nil {
		h.Hosts.Stop()
	}
	return peaks
}

// Build compiles what the harness runs into dir, from the modules in module.
func Build(module, dir string) (Programs, error) {
	out := Programs{Dir: dir}
	// Charts ask for the version of the server, which its own build puts there.
	version, err := goTool(module, nil, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return out, err
	}
	versioned := "-ldflags=-X k8s.io/component-base/version.gitVersion=" + version
	// As Argo CD's own images are built, and Helm's.
	static := []string{"CGO_ENABLED=0"}
	for _, one := range []struct {
		module      string
		environment []string
		arguments   []string
	}{
		{module, nil, []string{"build", versioned, "-o", dir + "/", "./cluster"}},
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
