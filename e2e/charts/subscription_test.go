package charts_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/e2e/charts"
	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
)

// machines is a spec with virtual machines, whose operands the operator does not turn on by itself.
const machines = `
name: subscription
kubernetes: {version: "1.35.8", distribution: openshift}
gitops: {repoURL: https://git.example.com/platform/gpu.git, path: tree, argocd: {namespace: openshift-gitops}}
nodePools:
  machines:
    nodeSelector: {node.example.com/pool: machines}
    match: {names: ["^vm-[0-9]+$"]}
    nodes: 2
    gpu: {model: a10, count: 2}
    os: {name: rhcos, version: "4.22"}
    workload: vm-passthrough
    host: {iommu: true}
    driver: {source: none}
components:
  gpu-operator:
    subscription: {}
`

// Beside a Subscription the ClusterPolicy is gpugen's: it has to say what the chart's
// says, but for what the operator fills in with the same.
func TestThePolicyBesideASubscriptionIsTheCharts(t *testing.T) {
	found := realCharts(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "generators", "testdata", "fields", "subscription.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"containers": string(text), "machines": machines} {
		for _, version := range []string{"v25.10.1", "v26.3.3", "v26.7.0"} {
			if name == "containers" && version == "v25.10.1" {
				continue // It has no driver for this OpenShift.
			}
			t.Run(name+"/"+version, func(t *testing.T) {
				chart, ok := found.Dir("gpu-operator", version)
				if !ok {
					t.Skipf("no gpu-operator %s among the charts", version)
				}
				spec := map[string]any{}
				if err := yaml.Unmarshal([]byte(text), &spec); err != nil {
					t.Fatal(err)
				}
				operator := spec["components"].(map[string]any)["gpu-operator"].(map[string]any)
				operator["version"] = version
				ours := policySpec(t, slices.Collect(maps.Values(treeOf(t, spec))))
				delete(operator, "subscription")
				objects := treeOf(t, spec)
				releases, err := examples.Releases(objects)
				if err != nil {
					t.Fatal(err)
				}
				i := slices.IndexFunc(releases, func(r examples.Release) bool { return r.Chart == "gpu-operator" })
				var layers []map[string]any
				for _, key := range releases[i].ValuesKeys {
					layers = append(layers, objects[key].(map[string]any))
				}
				rendered, err := charts.Render(chart, releases[i], append(layers, releases[i].InlineValues), defaultKubeVersion)
				if err != nil {
					t.Fatal(err)
				}
				var all []any
				for _, object := range rendered.Objects {
					all = append(all, object)
				}
				theirs := policySpec(t, all)
				for _, difference := range policyDifferences(theirs, ours) {
					t.Error(difference)
				}
			})
		}
	}
}

// treeOf renders a spec.
func treeOf(t *testing.T, spec map[string]any) map[string]any {
	t.Helper()
	text, err := yaml.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(string(text))})
	if result == nil {
		t.Fatal(findings)
	}
	dir := t.TempDir()
	for _, file := range result.Tree.Files() {
		name := filepath.Join(dir, filepath.FromSlash(file.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	objects, err := examples.LoadTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// policySpec is the spec of the one ClusterPolicy, by the paths of its leaves.
func policySpec(t *testing.T, objects []any) map[string]any {
	t.Helper()
	for _, object := range objects {
		if fields, ok := object.(map[string]any); ok && fields["kind"] == "ClusterPolicy" {
			out := map[string]any{}
			leaves(fields["spec"], "", out)
			return out
		}
	}
	t.Fatal("no ClusterPolicy")
	return nil
}

func leaves(value any, path string, out map[string]any) {
	fields, ok := value.(map[string]any)
	if !ok {
		out[path] = value
		return
	}
	for name, field := range fields {
		leaves(field, strings.TrimPrefix(path+"."+name, "."), out)
	}
}

// asTheOperator are values of the chart's that the operator or its CRD has as well where
// nothing is said: api/nvidia/v1/clusterpolicy_types.go, controllers/object_controls.go and
// assets/ at v26.3.3 (read 2026-11).
var asTheOperator = map[string]any{
	"ccManager.defaultMode":                          "on", // read only with Kata Containers, where gpugen says it
	"daemonsets.priorityClassName":                   "system-node-critical",
	"daemonsets.rollingUpdate.maxUnavailable":        "1",
	"daemonsets.updateStrategy":                      "RollingUpdate",
	"dcgmExporter.service.internalTrafficPolicy":     "Cluster",
	"dcgmExporter.serviceMonitor.interval":           "15s", // read only where serviceMonitor is on
	"dcgmExporter.serviceMonitor.scrapeTimeout":      "10s", // Prometheus's own
	"driver.kernelModuleType":                        "auto",
	"driver.licensingConfig.nlsEnabled":              true, // read only with a licence
	"driver.startupProbe.failureThreshold":           120,
	"driver.startupProbe.initialDelaySeconds":        60,
	"driver.startupProbe.periodSeconds":              10,
	"driver.startupProbe.timeoutSeconds":             60,
	"hostPaths.driverInstallDir":                     "/run/nvidia/driver",
	"hostPaths.rootFS":                               "/",
	"kataManager.config.artifactsDir":                "/opt/nvidia-gpu-operator/artifacts/runtimeclasses",
	"operator.runtimeClass":                          "nvidia",
	"sandboxWorkloads.defaultWorkload":               "container",
	"sandboxWorkloads.mode":                          "kubevirt",
	"toolkit.installDir":                             "/usr/local/nvidia",
	"vgpuDeviceManager.config.default":               "default",
	"daemonsets.labels.app.kubernetes.io/managed-by": "gpu-operator",
}

// forMachines are operands that run only with sandboxWorkloads.
var forMachines = []string{"ccManager.", "kataManager.", "kataSandboxDevicePlugin.", "sandboxDevicePlugin.", "vfioManager.", "vgpuDeviceManager.", "vgpuManager."}

func policyDifferences(theirs, ours map[string]any) []string {
	sandbox, _ := theirs["sandboxWorkloads.enabled"].(bool)
	var out []string
	for _, path := range slices.Sorted(maps.Keys(theirs)) {
		their, our := theirs[path], ours[path]
		switch {
		case path == "daemonsets.labels.helm.sh/chart" || fmt.Sprint(their) == fmt.Sprint(our):
		case our != nil:
			out = append(out, fmt.Sprintf("%s is %v, but the chart's is %v", path, our, their))
		case isNothing(their) || fmt.Sprint(asTheOperator[path]) == fmt.Sprint(their):
		case isImage(path, ours):
		case isOff(path, theirs) && isOff(path, ours):
		case !sandbox && slices.ContainsFunc(forMachines, func(prefix string) bool { return strings.HasPrefix(path, prefix) }):
		default:
			out = append(out, fmt.Sprintf("%s is not said, but the chart's is %v", path, their))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(ours)) {
		if _, ok := theirs[path]; !ok && !isNothing(ours[path]) {
			out = append(out, fmt.Sprintf("%s is %v, and the chart's is not said", path, ours[path]))
		}
	}
	return out
}

// isImage reports a part of an image of which nothing at all is said: that is the catalog's.
func isImage(path string, ours map[string]any) bool {
	at := strings.LastIndex(path, ".")
	parts := []string{"repository", "image", "version", "imagePullPolicy"}
	if !slices.Contains(parts, path[at+1:]) {
		return false
	}
	if path[at+1:] == "imagePullPolicy" && cmp.Or(ours[path], any("IfNotPresent")) == "IfNotPresent" {
		return true
	}
	return !slices.ContainsFunc(parts, func(part string) bool { return ours[path[:at+1]+part] != nil })
}

// isOff reports a setting of an operand that does not run.
func isOff(path string, policy map[string]any) bool {
	operand, _, _ := strings.Cut(path, ".")
	return policy[operand+".enabled"] == false
}

func isNothing(value any) bool {
	text := fmt.Sprint(value)
	return slices.Contains([]string{"", "false", "0", "[]", "map[]", "<nil>"}, text)
}
