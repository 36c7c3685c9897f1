package schema

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/diag"
)

// Pools to which the ways below are added: p is handed out by claims, q by a
// device plugin.
const (
	claimed = "nodePools: {p: {allocation: dra}}\n"
	counted = "nodePools: {p: {allocation: device-plugin}}\n"
	both    = "nodePools: {p: {allocation: dra, nodeSelector: {pool: p}}, q: {nodeSelector: {pool: q}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: \"24.04\"}, driver: {source: operator}}}\n"
	domain  = "nodePools: {p: {gpu: {model: gb200, count: 4}, arch: arm64, nvlinkDomain: {size: 18}}}\n"
)

// overlaidLines lays each line over what is below.
func overlaidLines(t testing.TB, lines string) map[string]any {
	t.Helper()
	spec := baseSpec()
	for line := range strings.Lines(lines) {
		var over map[string]any
		if err := yaml.Unmarshal([]byte(line), &over); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		spec = laidOver(spec, over)
	}
	return spec
}

// A GPU that a device plugin counts and a DRA driver publishes is given away
// twice. Nobody may get there, by whatever field.
func TestOneGPUIsNeverHandedOutTwice(t *testing.T) {
	for _, way := range []struct{ name, text string }{
		{"the host's plugin", claimed + "nodePools: {p: {host: {devicePlugin: true}}}"},
		{"a plugin of somebody else's", claimed + "components: {nvidia-device-plugin: {state: external}}"},
		{"a plugin of somebody else's beside ours", both + "components: {nvidia-device-plugin: {state: external}}"},
		{"an operator of somebody else's", claimed + "components: {gpu-operator: {state: external}}"},
		{"a stand-alone plugin that no pool wants", claimed + "components: {nvidia-device-plugin: {state: managed}}"},
		{"values of a stand-alone plugin for the claimed pool", both + "components: {nvidia-device-plugin: {pools: {p: {values: {gfd: {enabled: true}}}}}}"},
		{"the operator's plugin by its values", claimed + "components: {gpu-operator: {values: {devicePlugin: {enabled: true}}}}"},
		{"the operator's plugin by its values, in a mixed cluster", both + "components: {gpu-operator: {values: {devicePlugin: {enabled: true}}}}"},
		{"the operator's plugin for virtual machines", claimed + "components: {gpu-operator: {values: {sandboxWorkloads: {enabled: true, defaultWorkload: vm-passthrough}}}}"},
		{"the operator's plugin for virtual machines on nodes that a label chooses", claimed + "components: {gpu-operator: {values: {sandboxWorkloads: {enabled: true}}}}"},
		{"a GPUCluster", claimed + "nodePools: {p: {driver: {version: 580.126.20}}}\ncomponents: {gpu-operator: {version: v26.7.0, values: {gpuCluster: {deployCR: true}}}}"},
		{"a GPUCluster beside the operator's plugin", counted + "nodePools: {p: {driver: {version: 580.126.20}}}\ncomponents: {gpu-operator: {version: v26.7.0, values: {gpuCluster: {deployCR: true}}}}"},
		{"a GPUCluster beside the operator's plugin, chosen", counted + "nodePools: {p: {driver: {version: 580.126.20}}}\ncomponents: {gpu-operator: {version: v26.7.0, resource: GPUCluster}}"},
		{"a GPUCluster beside the stand-alone DRA driver", claimed + "nodePools: {p: {driver: {version: 580.126.20}}}\ncomponents: {gpu-operator: {version: v26.7.0, resource: GPUCluster}, dra-driver-nvidia-gpu: {state: managed}}"},
		{"a device plugin by the values of a GPUCluster's operator", claimed + "nodePools: {p: {driver: {version: 580.126.20}}}\ncomponents: {gpu-operator: {version: v26.7.0, resource: GPUCluster, values: {devicePlugin: {enabled: true}}}}"},
		{"whole GPUs by values of the DRA driver", counted + "components: {dra-driver-nvidia-gpu: {state: managed, values: {resources: {gpus: {enabled: true}}}}}"},
		{"whole GPUs by values of a DRA driver for domains", domain + "components: {dra-driver-nvidia-gpu: {values: {resources: {gpus: {enabled: true}}}}}"},
		{"a DRA driver on all nodes", both + "components: {dra-driver-nvidia-gpu: {values: {kubeletPlugin: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: Exists}]}]}}}}}}}"},
		{"a DRA driver on no chosen nodes", both + "components: {dra-driver-nvidia-gpu: {values: {kubeletPlugin: {affinity: null}}}}"},
		{"a stand-alone plugin on the claimed pool's nodes", both + "components: {nvidia-device-plugin: {values: {nodeSelector: {pool: p}}}}"},
		{"a stand-alone plugin on no chosen nodes", both + "components: {nvidia-device-plugin: {pools: {q: {values: {nodeSelector: null}}}}}"},
		{"a plugin's own DaemonSet", claimed + "components: {gpu-operator: {values: {extraObjects: [{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: plugin, namespace: gpu-operator}, spec: {template: {spec: {containers: [{name: plugin, image: \"nvcr.io/nvidia/k8s-device-plugin:v0.20.0\"}]}}}}]}}}"},
		{"a plugin's own DaemonSet beside a plugin of ours", both + "components: {gpu-operator: {values: {extraObjects: [{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: plugin, namespace: gpu-operator}, spec: {template: {spec: {nodeSelector: {pool: p}, containers: [{name: plugin, image: \"mirror.example.com/k8s-device-plugin@sha256:0123\"}]}}}}]}}}"},
		{"a DRA driver's own DaemonSet", counted + "components: {gpu-operator: {values: {extraObjects: [{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: dra, namespace: gpu-operator}, spec: {template: {spec: {containers: [{name: gpus, image: \"registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1\", command: [gpu-kubelet-plugin]}]}}}}]}}}"},
		{"a second release of the plugin", claimed + "components: {gpu-operator: {values: {extraObjects: [{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: plugin, namespace: argocd}, spec: {source: {repoURL: \"https://nvidia.github.io/k8s-device-plugin\", chart: nvidia-device-plugin, targetRevision: 0.20.0}}}]}}}"},
		{"a second release of the DRA driver, of several sources", counted + "components: {gpu-operator: {values: {extraObjects: [{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: dra, namespace: argocd}, spec: {sources: [{repoURL: \"https://helm.ngc.nvidia.com/nvidia\", chart: nvidia-dra-driver-gpu, targetRevision: 25.12.0}]}}]}}}"},
		{"a second release by K3s", claimed + "components: {gpu-operator: {values: {extraObjects: [{apiVersion: helm.cattle.io/v1, kind: HelmChart, metadata: {name: plugin, namespace: kube-system}, spec: {repo: \"https://nvidia.github.io/k8s-device-plugin\", chart: nvidia-device-plugin}}]}}}"},
		{"a second release by Flux", counted + "components: {gpu-operator: {values: {extraObjects: [{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: dra, namespace: flux}, spec: {chart: {spec: {chart: dra-driver-nvidia-gpu}}}}]}}}"},
		{"a second operator", claimed + "components: {gpu-operator: {values: {extraObjects: [{apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {name: another}, spec: {devicePlugin: {enabled: true}}}]}}}"},
		{"a GPUCluster as an object", counted + "nodePools: {p: {driver: {version: 580.126.20}}}\ncomponents: {gpu-operator: {version: v26.7.0, values: {extraObjects: [{apiVersion: nvidia.com/v1, kind: GPUCluster, metadata: {name: gpu-cluster}}]}}}"},
		{"a component of the user's with the plugin's chart", claimed + "components: {mine: {chart: {repository: \"https://nvidia.github.io/k8s-device-plugin\", name: nvidia-device-plugin, version: 0.20.0}}}"},
		{"a component of the user's with the DRA driver's chart", counted + "components: {mine: {chart: {repository: \"oci://registry.k8s.io/dra-driver-nvidia/charts\", name: dra-driver-nvidia-gpu, version: 0.4.1}}}"},
		{"a component of the user's with a plugin's DaemonSet", claimed + "components: {mine: {objects: {plugin: {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: plugin, namespace: mine}, spec: {template: {spec: {containers: [{name: plugin, image: \"nvcr.io/nvidia/k8s-device-plugin:v0.20.0\"}]}}}}}}}"},
		{"objects beside a component of gpugen's", counted + "components: {gpu-operator: {objects: {policy: {apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {name: another}}}}}"},
		{"a class among the user's objects on Kubernetes 1.36", both + "kubernetes: {version: 1.36.0}\nnodePools: {q: {sharing: {strategy: mps, replicas: 2, rename: true}}}\ncomponents: {mine: {objects: {class: {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: shares}, spec: {extendedResourceName: nvidia.com/gpu.shared}}}}}"},
		{"the DRA driver's class on Kubernetes 1.36", both + "kubernetes: {version: 1.36.0}"},
		{"a class of the user's on Kubernetes 1.36", both + "kubernetes: {version: 1.36.0}\nnodePools: {q: {sharing: {strategy: mig, profiles: {1g.10gb: 7}}}}\ncomponents: {gpu-operator: {values: {extraObjects: [{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: slices}, spec: {extendedResourceName: nvidia.com/mig-1g.10gb, selectors: [{cel: {expression: \"true\"}}]}}]}}}"},
		{"the DRA driver's class on Kubernetes 1.36, beside the host's plugin", both + "kubernetes: {version: 1.36.0}\nnodePools: {q: {allocation: external, host: {driver: 580.95.05, devicePlugin: true}, driver: {source: host}}}"},
		{"two pools on the same nodes", both + "nodePools: {q: {nodeSelector: {pool: p}}}"},
	} {
		if !sample.Draws("never twice "+way.name, 3) {
			continue
		}
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			d := single("yaml", overlaidLines(t, way.text))
			_, found := d.judge(t)
			t.Log(described(found))
			if !slices.ContainsFunc(found, func(f diag.Finding) bool { return f.Severity == diag.Error }) {
				t.Errorf("nothing is refused\n%v", d)
			}
			for _, f := range found {
				checkPlaces(t, d, f)
			}
		})
	}
}

// Claims in one pool and a plugin in another, or for other things, are fine.
func TestAPluginAndClaimsForOtherThingsLiveTogether(t *testing.T) {
	for _, way := range []struct{ name, text string }{
		{"of different pools", both},
		{"of different pools on Kubernetes 1.35", both + "kubernetes: {version: 1.35.2}"},
		{"of different pools on Kubernetes 1.36, where the plugin's resource is renamed", both + "kubernetes: {version: 1.36.0}\nnodePools: {q: {sharing: {strategy: time-slicing, replicas: 4, rename: true}}}"},
		{"of different pools on Kubernetes 1.36, where the plugin hands out slices", both + "kubernetes: {version: 1.36.0}\nnodePools: {q: {sharing: {strategy: mig, profiles: {1g.10gb: 7}}}}"},
		{"domains beside the operator's plugin", domain},
		{"domains beside a stand-alone plugin", domain + "nodePools: {p: {host: {driver: 580.95.05, toolkit: true}, driver: {source: host}}}\ncomponents: {gpu-operator: {state: \"off\"}}"},
		{"domains beside the host's plugin", domain + "nodePools: {p: {allocation: external, host: {driver: 580.95.05, devicePlugin: true}, driver: {source: host}}}"},
		{"domains, said again in values", domain + "components: {dra-driver-nvidia-gpu: {values: {resources: {gpus: {enabled: false}, computeDomains: {enabled: true}}}}}"},
		{"a class of the user's for other devices", both + "kubernetes: {version: 1.35.2}\ncomponents: {gpu-operator: {values: {extraObjects: [{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: big}, spec: {selectors: [{cel: {expression: \"true\"}}]}}]}}}"},
		{"a DaemonSet that is no plugin", claimed + "components: {gpu-operator: {values: {extraObjects: [{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: tuner, namespace: gpu-operator}, spec: {template: {spec: {containers: [{name: tuner, image: \"registry.example.com/tuner:1.0\"}]}}}}]}}}"},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			d := single("yaml", overlaidLines(t, way.text))
			if _, found := d.judge(t); len(found) > 0 {
				t.Errorf("%v\n%v", described(found), d)
			}
		})
	}
}
