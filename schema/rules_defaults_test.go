package schema

import (
	"os"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// withChart are specs in which a component is rendered.
var withChart = map[string]string{
	"gpu-operator":              "{}",
	"node-feature-discovery":    "{components: {node-feature-discovery: {state: managed}}}",
	"nvidia-device-plugin":      "{components: {gpu-operator: {state: \"off\"}}, nodePools: {p: {host: {driver: 580.95.05, toolkit: true}, driver: {source: host}}}}",
	"dcgm-exporter":             "{components: {gpu-operator: {state: \"off\"}}, nodePools: {p: {host: {driver: 580.95.05, toolkit: true}, driver: {source: host}}}}",
	"dra-driver-nvidia-gpu":     "{nodePools: {p: {allocation: dra}}}",
	"network-operator":          "{network: {fabric: infiniband, ofed: {source: operator}, rdmaResources: {ib: {plugin: shared, name: ib}}}, nodePools: {p: {rdma: [ib], os: {kernel: \"6.8\"}, gpuDirect: {rdma: dma-buf}}}}",
	"aws-efa-k8s-device-plugin": "{kubernetes: {distribution: eks}, network: {fabric: efa, rdmaResources: {efa: {plugin: efa, name: efa}}}, nodePools: {p: {rdma: [efa], gpu: {model: h100-sxm-80gb, count: 8}, driver: {source: cloud}, os: {name: amazon-linux, version: \"2023\"}}}}",
	"kueue":                     "{scheduling: {queue: kueue}, tenants: {t: {namespaces: [t], quota: {p: {gpus: 8}}}}}",
	"kai-scheduler":             "{scheduling: {gang: kai}}",
	"volcano":                   "{scheduling: {gang: volcano}}",
}

// harmful are defaults of charts, or of one version, that gpugen does not take, and
// what it says of them. Whoever adds one must know what the default breaks.
var harmful = map[string][]string{
	"gpu-operator": {
		"operator.upgradeCRD ARGO-003",
		// Upgrades would stop at every Pod with an emptyDir, which /dev/shm of most is.
		"driver.upgradePolicy.drain.deleteEmptyDir VALUES-001", "driver.upgradePolicy.gpuPodDeletion.deleteEmptyDir VALUES-001",
	},
	"node-feature-discovery": {"postDeleteCleanup ARGO-003"},
	// No cluster but one with a Prometheus Operator has ServiceMonitors.
	"gpu-operator v26.7.0": {"dcgmExporter.serviceMonitor.enabled MON-005"},
	"dcgm-exporter":        {"serviceMonitor.enabled MON-005"},
	"dra-driver-nvidia-gpu": {
		"gpuResourcesEnabledOverride DRA-006", "nvidiaDriverRoot DRA-013", "resources.computeDomains.enabled IMEX-001",
	},
	"network-operator": {"nfd.enabled NET-001", "upgradeCRDs ARGO-022"},
	"kueue": {
		// cpu and memory have no quota, nor are they left out: nothing would be admitted.
		"managerConfig.controllerManagerConfigYaml KUEUE-029", "managerConfig.controllerManagerConfigYaml KUEUE-016",
	},
	"kai-scheduler": {
		"defaultQueue.createDefaultQueue SCHED-020", "postCleanup.enabled ARGO-003", "kaiConfig.render ARGO-006", "kaiConfigDeployer.enabled ARGO-006",
		// Each has its reason in the template.
		"global.resourceReservation.createNamespace VALUES-001", "topologyMigration.enabled VALUES-001",
	},
}

// Whoever pastes the values.yaml of a chart has changed nothing: what is found
// then is a default that does harm, and listed here, or a false alarm.
func TestDefaultsOfChartsAreNoContradiction(t *testing.T) {
	e := privateEngine(t, nil)
	components, err := e.engine.Charts().LookupPath(cue.ParsePath("charts")).Fields()
	if err != nil {
		t.Fatal(err)
	}
	for components.Next() {
		name := components.Selector().Unquoted()
		versions, err := components.Value().Fields()
		if err != nil {
			t.Fatal(err)
		}
		for versions.Next() {
			version := versions.Selector().Unquoted()
			chart, err := versions.Value().LookupPath(cue.ParsePath("name")).String()
			if err != nil {
				t.Fatal(err)
			}
			if !sample.Draws("defaults of "+name+version, 6) {
				continue
			}
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				pasteDefaults(t, name, version, upstreamtest.Dir(t, chart, version, "values.yaml"))
			})
		}
	}
}

func pasteDefaults(t *testing.T, component, version, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(data, &values); err != nil {
		t.Fatal(err)
	}
	overlay, ok := withChart[component]
	if !ok {
		t.Fatal("no spec renders the component")
	}
	plain := overlaid(t, overlay)
	spec := laidOver(plain, map[string]any{"components": map[string]any{component: map[string]any{"version": version, "values": values}}})
	// What is found of the version itself is not the values' doing.
	_, without := single("yaml", laidOver(plain, map[string]any{"components": map[string]any{component: map[string]any{"version": version}}})).judge(t)
	_, found := single("yaml", spec).judge(t)
	already := idsOf(without)
	expected := slices.Concat(harmful[component], harmful[component+" "+version])
	var got []string
	at := PathString([]any{"components", component, "values"})
	for _, f := range found {
		// Charts have values that none of their templates reads, or reads in another mode
		// only: who copies them all is told so, and it is true.
		if f.ID == "VALUES-006" || f.ID == "VALUES-009" || slices.Contains(already, f.ID) {
			continue
		}
		line := strings.TrimPrefix(f.Path, at+".") + " " + f.ID
		if !slices.Contains(got, line) {
			got = append(got, line)
		}
		if !slices.Contains(expected, line) {
			t.Errorf("%s", describe1(f))
		}
	}
	for _, want := range expected {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not found any more: take it off the list", want)
		}
	}
}
