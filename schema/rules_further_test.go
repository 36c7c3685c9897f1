package schema

import (
	"fmt"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/diag"
)

// overlaid is the base with a text in YAML laid over it.
func overlaid(t testing.TB, text string) map[string]any {
	t.Helper()
	var over map[string]any
	if err := yaml.Unmarshal([]byte(text), &over); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return laidOver(baseSpec(), over)
}

func idsOf(findings diag.List) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.ID)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// furtherState is one that breaks a rule, besides its bad.
type furtherState struct{ rule, text string }

// findsFurtherStates checks that a rule sees each further state, and nothing else does.
func findsFurtherStates(t *testing.T, id string) {
	for _, c := range furtherBadStates() {
		if c.rule != id || !sample.Draws("further "+c.rule+c.text, 8) {
			continue
		}
		d := single("yaml", overlaid(t, c.text))
		_, found := d.judge(t)
		if ids := idsOf(found); !slices.Equal(ids, []string{c.rule}) {
			t.Errorf("%v, want %s\n%v", described(found), c.rule, d)
		}
		for _, f := range found {
			checkPlaces(t, d, f)
		}
	}
}

// furtherBadStates are what else rules must see, besides their bad.
func furtherBadStates() []furtherState {
	const (
		plugin     = "components: {gpu-operator: {values: {devicePlugin: {config: {create: true, name: mine, default: any, data: {any: %q}}}}}}"
		object     = "components: {gpu-operator: {values: {extraObjects: [%s]}}}\n"
		shared     = "nodePools: {p: {sharing: {strategy: time-slicing, replicas: 4}}}"
		renamed    = "nodePools: {p: {sharing: {strategy: time-slicing, replicas: 4, rename: true}}}"
		alone      = "components: {gpu-operator: {state: \"off\"}, %s}\nnodePools: {p: {host: {driver: 580.95.05, toolkit: true}, driver: {source: host}%s}}"
		otherPool  = "nodePools: {p: {nodeSelector: {pool: p}%s}, q: {nodeSelector: {pool: q}, gpu: {model: %s, count: 8}, os: {name: ubuntu, version: \"24.04\"}, driver: {source: operator}%s}}"
		ofTheHost  = "nodePools: {p: {host: {driver: 580.95.05}, driver: {source: host, %s}}}"
		withDriver = "nodePools: {p: {host: {driver: none, %s}}}"
	)
	return []furtherState{
		{"ARGO-003", "components: {gpu-operator: {values: {operator: {cleanupCRD: true}}}}"},
		{"DRIVER-001", "components: {gpu-operator: {values: {driver: {enabled: true}}}}\nnodePools: {p: {host: {driver: 580.95.05}, driver: {source: host}}}"},
		{"DRIVER-009", "nodePools: {p: {os: {name: ubuntu, version: \"20.04\"}}}"},
		{"DRIVER-009", "nodePools: {p: {os: {name: rhel, version: \"9.6\"}, arch: arm64}}"},
		{"DRIVER-010", "components: {gpu-operator: {values: {driver: {nvidiaDriverCRD: {enabled: false}}}}}\n" + fmt.Sprintf(otherPool, ", os: {name: rhel, version: \"9.6\"}", "h100-sxm-80gb", "")},
		{"DRIVER-010", "components: {gpu-operator: {values: {driver: {nvidiaDriverCRD: {enabled: false}}}}}\n" + fmt.Sprintf(otherPool, ", driver: {version: 580.126.20}", "h100-sxm-80gb", "")},
		{"DRIVER-010", "components: {gpu-operator: {values: {driver: {nvidiaDriverCRD: {enabled: false}}}}}\n" + fmt.Sprintf(otherPool, ", driver: {kernelModules: proprietary}", "h100-sxm-80gb", "")},
		{"DRIVER-010", "components: {gpu-operator: {values: {driver: {nvidiaDriverCRD: {enabled: false}}}}}\n" + fmt.Sprintf(otherPool, "", "v100-sxm2-16gb", "")},
		{"DRIVER-011", fmt.Sprintf(otherPool, ", driver: {upgrade: {drain: true}}", "h100-sxm-80gb", "")},
		{"DRIVER-011", fmt.Sprintf(otherPool, ", driver: {upgrade: {maxParallel: 2}}", "h100-sxm-80gb", "")},
		{"DRIVER-011", fmt.Sprintf(otherPool, ", driver: {upgrade: {auto: false}}", "h100-sxm-80gb", "")},
		{"DRIVER-011", fmt.Sprintf(otherPool, ", driver: {upgrade: {deleteEmptyDir: false}}", "h100-sxm-80gb", "")},
		{"DRIVER-011", fmt.Sprintf(otherPool, ", driver: {upgrade: {waitFor: {podSelector: app=training}}}", "h100-sxm-80gb", "")},
		{"DRIVER-022", "components: {gpu-operator: {values: {driver: {kernelModuleType: proprietary}}}}\nnodePools: {p: {gpu: {model: b200}}}"},
		{"DRIVER-023", "components: {gpu-operator: {values: {driver: {kernelModuleType: open}}}}\nnodePools: {p: {gpu: {model: v100-sxm2-16gb}}}"},
		{"DRIVER-022", "nodePools: {p: {gpu: {model: b200}, host: {driver: 580.95.05, kernelModules: proprietary}, driver: {source: host}}}"},
		{"DRIVER-023", "nodePools: {p: {gpu: {model: v100-sxm2-16gb}, host: {driver: 580.95.05, kernelModules: open}, driver: {source: host}}}"},
		{"DRIVER-027", "nodePools: {p: {gpu: {model: v100-sxm2-16gb}, driver: {version: 595.58.03}}}"},
		{"DRIVER-027", "nodePools: {p: {gpu: {model: k80}, driver: {version: 580.95.05}}}"},
		{"DRIVER-028", "nodePools: {p: {gpu: {model: b200}, driver: {version: 550.163.01}}}"},
		{"DRIVER-043", fmt.Sprintf(ofTheHost, "kernelModules: open")},
		{"DRIVER-043", fmt.Sprintf(ofTheHost, "upgrade: {auto: false}")},
		{"DRIVER-043", fmt.Sprintf(ofTheHost, "upgrade: {maxParallel: 2}")},
		{"DRIVER-043", fmt.Sprintf(ofTheHost, "upgrade: {drain: true}")},
		{"DRIVER-043", fmt.Sprintf(ofTheHost, "upgrade: {deleteEmptyDir: false}")},
		{"DRIVER-043", fmt.Sprintf(withDriver, "kernelModules: open")},
		{"DRA-012", "kubernetes: {distribution: gke, runtimeVersion: '2.1'}\ncomponents: {gpu-operator: {version: v26.7.0, resource: GPUCluster}}\nnodePools: {p: {allocation: dra, nodeSelector: {cloud.google.com/gke-nodepool: gpus}, host: {driver: 580.95.05, driverRoot: /, devicePlugin: false}, driver: {source: host}}}\nwaivers: [{rule: DRA-011, at: components, reason: new}]"},
		{"DRIVER-046", "components: {gpu-operator: {values: {hostPaths: {driverInstallDir: /opt/nvidia/driver}}}}"},
		{"DRIVER-046", "components: {gpu-operator: {values: {hostPaths: {driverInstallDir: /opt/other}}}}\nnodePools: {p: {host: {driver: 580.95.05, driverRoot: /opt/nvidia/driver}, driver: {source: host}}}"},
		{"DRIVER-046", fmt.Sprintf(otherPool, ", host: {driver: 580.95.05, fabricManager: true, driverRoot: /opt/nvidia/driver}, driver: {source: host}", "h100-sxm-80gb", "")},
		{"DRA-013", "components: {dra-driver-nvidia-gpu: {values: {nvidiaDriverRoot: /run/nvidia/driver}}}\nnodePools: {p: {allocation: dra, host: {driver: 580.95.05, driverRoot: /opt/nvidia/driver}, driver: {source: host}}}"},
		{"DRIVER-043", fmt.Sprintf(withDriver, "driverRoot: /opt/nvidia/driver")},
		{"EXT-001", "components: {gpu-operator: {state: external}}"},
		{"EXT-001", "components: {gpu-operator: {state: external}}\nnodePools: {p: {host: {driver: 580.95.05}, driver: {source: host}, sharing: {strategy: mps, replicas: 2}}}"},
		{"EXT-001", "components: {gpu-operator: {state: external}}\nnodePools: {p: {host: {driver: 580.95.05}, driver: {source: host}, sharing: {strategy: mig, profiles: {1g.10gb: 7}}}}"},
		{"EXT-002", "components: {nvidia-device-plugin: {state: external}}"},
		{"EXT-003", fmt.Sprintf(object, "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: o, namespace: n}, spec: {template: {spec: {containers: [{name: c, image: \"mirror.example.com:5000/nvidia/k8s-device-plugin\"}]}}}}")},
		{"EXT-003", fmt.Sprintf(object, "{apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {name: o}}")},
		{"EXT-003", fmt.Sprintf(object, "{apiVersion: helm.cattle.io/v1, kind: HelmChart, metadata: {name: o, namespace: n}, spec: {chart: \"oci://mirror.example.com/charts/gpu-operator\"}}")},
		{"ARGO-028", "gitops: {argocd: {rootProject: gpu-research}}"},
		{"ARGO-028", "gitops: {argocd: {project: {name: default}}}"},
		{"MIG-003", "nodePools: {p: {sharing: {strategy: mig, mode: single, layout: [{devices: [0, 1, 2], profiles: {1g.10gb: 7}}]}}}"},
		{"MIG-003", "nodePools: {p: {gpu: {count: 2}, sharing: {strategy: mig, mode: single, layout: [{devices: [0], profiles: {1g.10gb: 7}}, {devices: [1], profiles: {2g.20gb: 3}}]}}}"},
		{"MIG-002", "nodePools: {p: {sharing: {strategy: mig, layout: [{devices: [0], profiles: {1g.5gb: 7}}]}}}"},
		{"MIG-009", "nodePools: {p: {sharing: {strategy: mig, layout: [{devices: [0], profiles: {1g.10gb: 8}}]}}}"},
		{"MIG-023", "nodePools: {p: {sharing: {strategy: mig}}}"},
		{"OLM-002", "kubernetes: {distribution: openshift}\ncomponents: {gpu-operator: {subscription: {}, values: {mig: {strategy: single}, devicePlugin: {config: {name: mine, create: true}}}}}\nnodePools: {p: {os: {name: rhcos, version: '4.22'}}}"},
		{"SMOKE-002", "smokeTests: {enabled: false, nccl: true}"},
		{"VIRT-001", "nodePools: {p: {workload: vm-passthrough, host: {driver: 580.95.05, iommu: true}, driver: {source: none}}}"},
		{"MIG-023", "nodePools: {p: {sharing: {strategy: mig, profiles: {}}}}"},
		{"MIG-023", "nodePools: {p: {sharing: {strategy: mig, layout: [{devices: [0], profiles: {}}]}}}"},
		{"MIG-025", "nodePools: {p: {sharing: {strategy: mig, layout: [{devices: [0, 1], profiles: {1g.10gb: 7}}, {devices: [1], profiles: {2g.20gb: 3}}]}}}"},
		{"MON-003", "monitoring: {dcgm: {metrics: profiling}}\nnodePools: {p: {gpu: {model: k80}, host: {driver: 470.256.02}, driver: {source: host}}}"},
		{"MON-003", "monitoring: {dcgm: {metrics: profiling}}\nnodePools: {p: {gpu: {model: titan-v}}}"},
		{"MON-003", "monitoring: {dcgm: {metrics: profiling}}\nnodePools: {p: {gpu: {model: gtx-1660-ti}}}"},
		{"MON-003", "monitoring: {dcgm: {metrics: profiling}}\nnodePools: {p: {gpu: {model: t400-4gb}}}"},
		{"MON-009", "monitoring: {dcgm: {interval: 30s}}"},
		{"NET-001", fmt.Sprintf(alone, "nvidia-device-plugin: {values: {nfd: {enabled: true}}}", "")},
		{"NET-004", fmt.Sprintf(alone, "node-feature-discovery: {values: {worker: {config: {sources: {pci: {deviceLabelFields: [vendor, device]}}}}}}", "")},
		{"PIN-001", "components: {gpu-operator: {version: \"\"}}"},
		{"PIN-001", "components: {gpu-operator: {version: latest}}"},
		{"PIN-001", "components: {gpu-operator: {version: \">=26.3.0\"}}"},
		{"PIN-003", "components: {kai-scheduler: {state: external, version: 0.20.0}}"},
		{"PIN-007", "components: {gpu-operator: {version: v26.3.4-rc.1}}"},
		{"PIN-007", "components: {gpu-operator: {version: 26.3.3}}"},
		{"POOL-002", "nodePools: {p: {nodeSelector: {a: x}}, q: {nodeSelector: {a: x, b: y}, gpu: {model: l4, count: 1}, os: {name: ubuntu, version: \"24.04\"}, driver: {source: operator}}}"},
		{"POOL-008", "components: {nvidia-device-plugin: {state: managed}}\nnodePools: {p: {allocation: dra}}"},
		{"POOL-008", fmt.Sprintf(alone, "nvidia-device-plugin: {pools: {q: {values: {gfd: {enabled: true}}}}}", "")},
		{"SHARE-002", fmt.Sprintf(plugin, "version: v1\nsharing: {timeSlicing: {}}")},
		{"SHARE-002", fmt.Sprintf(plugin, "version: v1\nsharing: {timeSlicing: {resources: []}}")},
		{"SHARE-002", fmt.Sprintf(plugin, "version: v1\nsharing: {timeSlicing: {resources: [{replicas: 4}]}}")},
		{"SHARE-002", fmt.Sprintf(plugin, "version: v1\nsharing: {mps: {resources: [{name: nvidia.com/gpu}]}}")},
		{"SHARE-002", fmt.Sprintf(plugin, "version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 1}]}}")},
		{"SHARE-004", "nodePools: {p: {sharing: {strategy: mps, replicas: 2, layout: [{devices: [0], profiles: {1g.10gb: 7}}]}}}"},
		{"SHARE-004", "components: {gpu-operator: {values: {mig: {strategy: mixed}}}}\nnodePools: {p: {sharing: {strategy: mps, replicas: 2}}}"},
		{"SHARE-005", fmt.Sprintf(plugin, "version: v1\nsharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 2}, {name: nvidia.com/mig-1g.10gb, replicas: 2}]}}")},
		{"SHARE-018", fmt.Sprintf(plugin, "version: v1\nsharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 2, devices: [0]}]}}")},
		{"SHARE-018", fmt.Sprintf(plugin, "version: v1\nresources: {gpus: [{pattern: \"*H100*\", name: nvidia.com/h100}]}")},
		{"SHARE-009", fmt.Sprintf(object, "{apiVersion: batch/v1, kind: CronJob, metadata: {name: o, namespace: n}, spec: {schedule: \"@daily\", jobTemplate: {spec: {template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: \"2\"}}}]}}}}}}") + shared},
		{"SHARE-009", fmt.Sprintf(object, "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: o, namespace: n}, spec: {tasks: [{template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 4}}}]}}}]}}") + shared},
		{"SHARE-009", fmt.Sprintf(object, "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: o, namespace: n}, spec: {replicatedJobs: [{template: {spec: {template: {spec: {initContainers: [{name: i, resources: {limits: {nvidia.com/gpu: 3}}}], containers: [{name: c}]}}}}}]}}") + shared},
		{"SHARE-010", fmt.Sprintf(plugin, "version: v1\nsharing: {timeSlicing: {renameByDefault: true, resources: [{name: nvidia.com/gpu, replicas: 4}]}}")},
		{"SHARE-010", fmt.Sprintf(object, "{apiVersion: v1, kind: ResourceQuota, metadata: {name: o, namespace: n}, spec: {hard: {requests.nvidia.com/gpu: 4}}}") + renamed},
		{"SHARE-010", fmt.Sprintf(object, "{apiVersion: v1, kind: ResourceQuota, metadata: {name: o, namespace: n}, spec: {hard: {requests.nvidia.com/gpu.shared: 4}}}") + shared},
		{"SHARE-010", fmt.Sprintf(object, "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: o}, spec: {resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: p, resources: [{name: nvidia.com/gpu, nominalQuota: 4}]}]}]}}") + renamed + "\nscheduling: {queue: kueue}"},
		{"SHARE-010", fmt.Sprintf(object, "{apiVersion: v1, kind: Pod, metadata: {name: o, namespace: n}, spec: {nodeSelector: {pool: p}, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}") + fmt.Sprintf(otherPool, ", sharing: {strategy: mps, replicas: 4, rename: true}", "h100-sxm-80gb", "")},
		{"SHARE-011", fmt.Sprintf(object, "{apiVersion: v1, kind: Pod, metadata: {name: o, namespace: n}, spec: {nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}, containers: [{name: c}]}}") + shared},
		{"SHARE-011", fmt.Sprintf(object, "{apiVersion: v1, kind: Pod, metadata: {name: o, namespace: n}, spec: {nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3-SHARED}, containers: [{name: c}]}}") + renamed},
		{"SHARE-011", fmt.Sprintf(object, "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: h100}, spec: {nodeLabels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}}}") + "nodePools: {p: {sharing: {strategy: mig, mode: single, profiles: {1g.10gb: 7}}}}\nscheduling: {queue: kueue}"},
		{"SHARE-021", "nodePools: {p: {sharing: {rename: true}}}"},
		{"SHARE-021", "nodePools: {p: {sharing: {strategy: mig, profiles: {1g.10gb: 7}, rename: true}}}"},
		{"SHARE-008", "nodePools: {p: {sharing: {strategy: mig, profiles: {1g.10gb: 7}, replicas: 2, failRequestsGreaterThanOne: false}}}"},
		{"SHARE-008", fmt.Sprintf(alone, "", ", sharing: {strategy: mps, replicas: 2, failRequestsGreaterThanOne: false}")},
		{"SHARE-021", "nodePools: {p: {sharing: {failRequestsGreaterThanOne: false}}}"},
		{"SHARE-021", "nodePools: {p: {sharing: {mode: mixed}}}"},
		{"SHARE-021", "nodePools: {p: {sharing: {profiles: {1g.10gb: 7}}}}"},
		{"SHARE-021", "nodePools: {p: {sharing: {layout: []}}}"},
		{"SHARE-021", "nodePools: {p: {sharing: {strategy: time-slicing, replicas: 2, mode: single}}}"},
		{"SHARE-021", "nodePools: {p: {sharing: {strategy: mps, replicas: 2, profiles: {}}}}"},
		{"SHARE-021", "nodePools: {p: {sharing: {strategy: mps, replicas: 2, failRequestsGreaterThanOne: false}}}"},
		{"SHARE-021", "nodePools: {p: {sharing: {strategy: mig, profiles: {1g.10gb: 7}, failRequestsGreaterThanOne: false}}}"},
		{"SHARE-022", "nodePools: {p: {allocation: external, host: {driver: 580.95.05}, driver: {source: host}, sharing: {strategy: mig, profiles: {1g.10gb: 7}}}}"},
		{"TAINT-001", fmt.Sprintf(alone, "dcgm-exporter: {values: {tolerations: null}}", ", taints: [{key: example.com/gpu, effect: NoSchedule}]")},
	}
}
