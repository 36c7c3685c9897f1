package judge_test

import (
	"fmt"
	"strings"
)

// renderedCases are specs that give a tree of which a server can see that it is bad.
var renderedCases = []rendered{
	{rule: "DRA-001", minor: "1.33", more: "tenants: {t: {namespaces: [team-t]}}", want: "apiVersion the server does not serve"},
	{rule: "KUEUE-004", more: queued, bad: poolsOfOneQuota(64), good: poolsOfOneQuota(63), want: "spec.resourceGroups[0].flavors Too many"},
	{rule: "KUEUE-010", state: "labels", more: queued, bad: selector("a: v, b: v, c: v, d: v, e: v, f: v, g: v, h: v, i: v"), good: selector("a: v, b: v, c: v, d: v, e: v, f: v, g: v, h: v"), want: "spec.nodeLabels Too many"},
	{rule: "KUEUE-010", state: "taints", more: queued, bad: "nodePools: {p: {taints: [" + strings.Join(taints(9), ", ") + "]}}", good: "nodePools: {p: {taints: [" + strings.Join(taints(8), ", ") + "]}}", want: "spec.nodeTaints Too many"},
	{rule: "POOL-020", state: "label name", more: tested, bad: selector(strings.Repeat("a", 64) + ": v"), good: selector(strings.Repeat("a", 63) + ": v"), want: "spec.jobTemplate.spec.template.spec.nodeSelector Invalid value"},
	{rule: "POOL-020", state: "label prefix", more: tested, bad: selector("a..b/c: v"), good: selector("a.b/c: v"), want: "spec.jobTemplate.spec.template.spec.nodeSelector Invalid value"},
	{rule: "POOL-020", state: "taint", more: tested, want: "spec.jobTemplate.spec.template.spec.tolerations[0].key Invalid value"},
	{rule: "ARGO-029", more: newestVersion, want: "AppProject/argocd/gpu..research:metadata.name Invalid value"},
	{rule: "MON-020", state: "value", more: watched, want: "PrometheusRule/monitoring/gpugen-gpu:metadata.labels Invalid value"},
	{rule: "MON-020", state: "key", more: watched, bad: "monitoring: {labels: {a..b/c: d}}", good: "monitoring: {labels: {a.b/c: d}}", want: "PrometheusRule/monitoring/gpugen-gpu:metadata.labels Invalid value"},
	{rule: "TENANT-005", more: newestVersion, want: "ResourceQuota/team-t/gpus:spec.hard[requests.memory] is rendered as"},
	{rule: "SHARE-001", more: counted, bad: "nodePools: {p: {sharing: {strategy: time-slicing, replicas: -1}}}", good: "nodePools: {p: {sharing: {strategy: time-slicing, replicas: 2}}}", want: "ResourceQuota/team-t/gpus:spec.hard[requests.nvidia.com/gpu] Invalid value"},
	{rule: "MIG-002", more: claimed, bad: "nodePools: {p: {sharing: {strategy: mig, profiles: {1G.10GB: 7}}}}", good: "nodePools: {p: {sharing: {strategy: mig, profiles: {1g.10gb: 7}}}}", want: "ResourceClaimTemplate/team-t/p-mig-1G-10GB:metadata.name Invalid value"},
	{rule: "RDMA-017", more: fabricTested, want: "limits[rdma..example.com/ib] Invalid value"},
	{rule: "TREE-001", nodes: true, more: newestVersion, bad: slicedPool(59), good: slicedPool(58), want: "Node//node-1:metadata.labels Invalid value"},
}

const (
	newestVersion = "kubernetes: {version: 1.36.1}\n"
	tested        = newestVersion + "smokeTests: {enabled: true}"
	fabricTested  = newestVersion + "smokeTests: {enabled: true, nccl: true}\nnodePools: {p: {nodes: 2, gpuDirect: {rdma: dma-buf}, os: {kernel: \"6.8\"}}}\nnetwork: {ofed: {source: operator}, rdmaResources: {ib: {select: {vendors: [15b3]}}}}"
	watched       = newestVersion + "monitoring: {alerts: true}\ncomponents: {prometheus-operator: {state: external, namespace: monitoring}}"
	counted       = newestVersion + "tenants: {t: {namespaces: [team-t], quota: {p: {gpus: 8}}}}"
	claimed       = newestVersion + "nodePools: {p: {allocation: dra}}\ncomponents: {gpu-operator: {version: v26.3.3}}\ntenants: {t: {namespaces: [team-t]}}"
)

func selector(labels string) string { return "nodePools: {p: {nodeSelector: {" + labels + "}}}" }

// slicedPool adds a pool with a name of n characters, which nodes bear in a label.
func slicedPool(n int) string {
	return "nodePools:\n  p: {nodeSelector: {example.com/pool: p}}\n  " + strings.Repeat("q", n) +
		": {nodeSelector: {example.com/pool: q}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: \"24.04\"}, driver: {source: operator}, sharing: {strategy: mig, profiles: {1g.10gb: 7}}}\n"
}

const queued = "kubernetes: {version: 1.36.1}\nscheduling: {queue: kueue}\ntenants: {t: {namespaces: [team-t], quota: {p: {gpus: 8}}}}"

// poolsOfOneQuota adds n pools to one.
func poolsOfOneQuota(n int) string {
	pools, quotas := "  p: {nodeSelector: {example.com/pool: p}}\n", ""
	for i := range n {
		pools += fmt.Sprintf("  p%d: {nodeSelector: {example.com/pool: p%d}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: \"24.04\"}, driver: {source: operator}}\n", i, i)
		quotas += fmt.Sprintf("p%d: {gpus: 8}, ", i)
	}
	return "nodePools:\n" + pools + "tenants: {t: {quota: {" + quotas + "}}}\n"
}

func taints(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("{key: example.com/t%d, effect: NoSchedule}", i))
	}
	return out
}

const (
	clusterPolicy = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\n" +
		"spec: {operator: {}, driver: {}, toolkit: {}, devicePlugin: {}, dcgm: {}, dcgmExporter: {}, gfd: {}, nodeStatusExporter: {}, daemonsets: {}, cdi: {enabled: true}, migManager: {config: {name: own, default: all-disabled}}}\n"
	nvidiaDriver  = "apiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata: {name: train}\nspec: {driverType: gpu, image: driver, nodeSelector: {pool: train}}\n"
	claimTemplate = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: NAME}\nspec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: ExactCount, count: 1}}]}}}\n"
	clusterQueue  = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: NAME}\nspec: {namespaceSelector: {}, queueingStrategy: BestEffortFIFO, " +
		"cohortName: all, resourceGroups: [{coveredResources: [cpu, nvidia.com/gpu], flavors: [{name: train, resources: [{name: cpu, nominalQuota: \"8\"}, {name: nvidia.com/gpu, nominalQuota: \"8\", borrowingLimit: \"1\"}]}]}]}\n"
	flavor = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: NAME}\nspec: {nodeLabels: {pool: train}, nodeTaints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}], tolerations: [{key: nvidia.com/gpu, operator: Exists}]}\n"
	pod    = "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\nspec: {containers: [{name: a, image: registry.example.com/a:1, resources: {requests: {nvidia.com/gpu: \"1\"}, limits: {nvidia.com/gpu: \"1\"}}}]}\n"
)

func named(name, object string) string { return strings.ReplaceAll(object, "NAME", name) }

// writtenCases are states that an override, a patch or a hand could make.
var writtenCases = []written{
	{rule: "DRA-001", state: "resource.k8s.io/v1 before 1.34", minor: "1.33", good: named("a", claimTemplate), want: "apiVersion the server does not serve"},
	{rule: "DRA-035", state: "claim in the shape of v1beta1", good: named("shape", claimTemplate),
		old: "exactly: {deviceClassName: gpu.nvidia.com, allocationMode: ExactCount, count: 1}", new: "deviceClassName: gpu.nvidia.com",
		want: `spec.spec.devices.requests[0].deviceClassName unknown field`},
	{rule: "DRA-034", state: "claim with an expression that is none", good: named("cel", claimTemplate),
		old: "count: 1", new: "count: 1, selectors: [{cel: {expression: \"device.driver = 'gpu.nvidia.com'\"}}]",
		want: "spec.spec.devices.requests[0].exactly.selectors[0].cel.expression"},
	{rule: "PSA-004", state: "claim with admin access in any namespace", good: named("admin", claimTemplate),
		old: "count: 1", new: "count: 1, adminAccess: true", want: "spec.devices.requests[0].adminAccess Forbidden"},
	{rule: "DRA-009", state: "GPUCluster by another name", good: "apiVersion: nvidia.com/v1alpha1\nkind: GPUCluster\nmetadata: {name: gpu-cluster}\nspec: {draDriver: {}}\n",
		old: "gpu-cluster", new: "other", want: " Invalid value: GPUCluster is a singleton"},
	{rule: "DRIVER-013", state: "default NVIDIADriver with a selector", good: nvidiaDriver, old: "driverType: gpu", new: "driverType: gpu, default: true",
		want: "spec Invalid value: default NVIDIADriver must not use nodeSelector"},
	{rule: "MIG-005", state: "default layout for every node", good: clusterPolicy, old: "default: all-disabled", new: "default: all-1g.10gb",
		want: "spec.migManager.config.default Unsupported value"},
	{rule: "MIG-021", state: "layout name with a comma", good: "apiVersion: v1\nkind: Node\nmetadata: {name: gpu-1, labels: {nvidia.com/mig.config: \"own\"}}\n",
		old: "own", new: "1g.10gb-2,3g.40gb-1", want: "metadata.labels"},
	{rule: "KUEUE-001", state: "flavor twice", good: named("twice", clusterQueue),
		old: "flavors: [", new: "flavors: [{name: train, resources: [{name: cpu, nominalQuota: \"8\"}, {name: nvidia.com/gpu, nominalQuota: \"8\"}]}, ", want: "spec.resourceGroups[0].flavors"},
	{rule: "KUEUE-003", state: "flavor without a covered resource", good: named("covered", clusterQueue), old: "[cpu, nvidia.com/gpu]", new: "[cpu, memory, nvidia.com/gpu]",
		want: "spec.resourceGroups[0] Invalid value: flavors must have the same number of resources"},
	{rule: "KUEUE-005", state: "borrowing without a cohort", good: named("borrow", clusterQueue), old: "cohortName: all, ", new: "",
		want: "spec Invalid value: borrowingLimit must be nil when cohort is empty"},
	{rule: "KUEUE-007", state: "borrows, but never reclaims", good: named("reclaim", clusterQueue),
		old: "queueingStrategy:", new: "preemption: {reclaimWithinCohort: Never, borrowWithinCohort: {policy: LowerPriority}}, queueingStrategy:", want: "spec.preemption Invalid value: reclaimWithinCohort=Never"},
	{rule: "KUEUE-009", state: "topology without labels", good: named("topology", flavor), old: "nodeLabels: {pool: train}", new: "topologyName: racks",
		want: "spec Invalid value: \"object\": no such key: nodeLabels evaluating rule: at least one nodeLabel is required when topology is set"},
	{rule: "KUEUE-010", state: "nine labels", good: named("labels", flavor), old: "pool: train", new: "a: b, c: d, e: f, g: h, i: j, k: l, m: n, o: p, q: r",
		want: "spec.nodeLabels Too many"},
	{rule: "KUEUE-011", state: "topology level twice", good: "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: racks}\nspec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}\n",
		old: "{nodeLabel: rack}", new: "{nodeLabel: rack}, {nodeLabel: rack}", want: "spec.levels Invalid value: must be unique"},
	{rule: "SHARE-019", state: "resource name over 63 characters", good: named("long", pod), old: "nvidia.com/gpu", new: "nvidia.com/" + strings.Repeat("g", 64),
		want: "spec.containers[0].resources.limits"},
	{rule: "PSA-001", state: "privileged operand under another level",
		good: "apiVersion: v1\nkind: Namespace\nmetadata: {name: operands, labels: {pod-security.kubernetes.io/enforce: privileged}}\n---\n" +
			"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a, namespace: operands}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: registry.example.com/a:1, securityContext: {privileged: true}}]}}}\n",
		old: "enforce: privileged", new: "enforce: baseline", want: `spec.template pods "pod-of-template" is forbidden: violates PodSecurity "baseline:latest": privileged`},
}
