package generators_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// fabric is laid over withTenants: NICs that Pods share, and others that they have
// to themselves.
const fabric = `
network:
  fabric: infiniband
  ofed: {source: operator}
  rdmaResources:
    shared: {plugin: shared, name: shared_ib, select: {interfaces: [ibs1f0]}}
    whole: {plugin: host-device, name: hostdev, select: {interfaces: [ibs2f0]}}
`

// pool is one more pool, whose nodes carry its name as a label.
func pool(name, more string) string {
	return fmt.Sprintf(`nodePools: {%s: {nodeSelector: {example.com/pool: %s}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}, %s}}`, name, name, more)
}

// selected are the values of the label example.com/pool in the terms of a node selector.
func selected(t *testing.T, terms any) []string {
	t.Helper()
	var out []string
	for _, term := range terms.([]any) {
		expressions := at(term, "matchExpressions").([]any)
		if len(expressions) != 1 || at(expressions[0], "key") != "example.com/pool" || at(expressions[0], "operator") != "In" {
			t.Errorf("a term asks for %v", expressions)
		}
		out = append(out, at(expressions[0], "values", 0).(string))
	}
	slices.Sort(out)
	return out
}

const policy = "NicClusterPolicy/nic-cluster-policy"

func terms(objects map[string]any) any {
	return at(objects[policy], "spec", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
}

// Sections of a policy that put something onto nodes, and that only one may have.
var exclusive = []string{"ofedDriver", "rdmaSharedDevicePlugin", "sriovDevicePlugin"}

func sections(object any) []string {
	var out []string
	for _, section := range exclusive {
		if at(object, "spec", section) != nil {
			out = append(out, section)
		}
	}
	return out
}

func kindsOf(objects map[string]any, kind string) []string {
	var out []string
	for name := range objects {
		if rest, ok := strings.CutPrefix(name, kind+"/"); ok {
			out = append(out, rest)
		}
	}
	slices.Sort(out)
	return out
}

func TestPoolsWithTheSameNICsShareThePolicyThatSelectsThem(t *testing.T) {
	objects := renderedDespiteWarnings(t, fabric, `nodePools: {p: {rdma: [shared]}}`, pool("q", "rdma: [shared]"), pool("r", "rdma: []"))
	if got := selected(t, terms(objects)); !slices.Equal(got, []string{"p", "q"}) {
		t.Errorf("the policy is for pools %v", got)
	}
	if got := sections(objects[policy]); !slices.Equal(got, []string{"ofedDriver", "rdmaSharedDevicePlugin"}) {
		t.Errorf("the policy has %v", got)
	}
	if got := kindsOf(objects, "NicNodePolicy"); len(got) > 0 {
		t.Errorf("policies besides: %v", got)
	}
	// Pool p has a taint of its own, which the DaemonSets must tolerate.
	want := []any{map[string]any{"key": "example.com/gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}}
	if got := at(objects[policy], "spec", "tolerations"); !reflect.DeepEqual(got, want) {
		t.Errorf("tolerations %v", got)
	}
}

func TestPoolsWithOtherNICsHaveAPolicyEach(t *testing.T) {
	const long = "a-pool-whose-name-is-longer-than-thirty"
	objects := rendered(t, fabric, `nodePools: {p: {rdma: [shared]}}`, pool("q", "rdma: [shared, whole]"), pool(long, "rdma: [whole]"), pool("r", "rdma: []"))
	if got := sections(objects[policy]); len(got) > 0 {
		t.Errorf("the policy of the cluster has %v, and so have the pools'", got)
	}
	if got := selected(t, terms(objects)); !slices.Equal(got, []string{long, "p", "q"}) {
		t.Errorf("the policy of the cluster is for pools %v", got)
	}
	names := kindsOf(objects, "NicNodePolicy")
	if len(names) != 3 {
		t.Fatalf("policies %v", names)
	}
	got := map[string]string{}
	for _, name := range names {
		if len(name) > 30 {
			t.Errorf("the name %s has more than 30 characters", name)
		}
		object := objects["NicNodePolicy/"+name]
		selector := at(object, "spec", "nodeSelector").(map[string]any)
		if len(selector) != 1 {
			t.Errorf("%s selects by %v", name, selector)
		}
		got[fmt.Sprint(selector["example.com/pool"])] = strings.Join(sections(object), " ")
		for _, section := range sections(object) {
			for _, field := range []string{"repository", "version", "image"} {
				if at(object, "spec", section, field) == nil {
					t.Errorf("%s has no %s of %s: such a policy knows no global one", name, field, section)
				}
			}
		}
	}
	want := map[string]string{"p": "ofedDriver rdmaSharedDevicePlugin", "q": "ofedDriver rdmaSharedDevicePlugin sriovDevicePlugin", long: "ofedDriver sriovDevicePlugin"}
	if !maps.Equal(got, want) {
		t.Errorf("policies have %v", got)
	}
}

func TestNetworksAndTheirAddressesAreForPoolsWithTheirNICs(t *testing.T) {
	objects := rendered(t, fabric, `nodePools: {p: {rdma: [shared]}}`, pool("q", "rdma: [whole]"), pool("r", "rdma: []"), `
network: {secondaryNetworks: {
  ib: {type: ipoib, master: ibs1f0, resource: shared, namespaces: [team-a, team-b], ipam: {subnet: 10.1.0.0/16}},
  hd: {type: host-device, resource: whole, ipam: {subnet: 10.2.0.0/16}}}}`)
	for name, want := range map[string]string{"ib": "p", "hd": "q"} {
		if got := selected(t, at(objects["nvidia-network-operator/IPPool/"+name], "spec", "nodeSelector", "nodeSelectorTerms")); !slices.Equal(got, []string{want}) {
			t.Errorf("addresses of %s are for pools %v", name, got)
		}
	}
	got := map[string]string{}
	for _, kind := range []string{"IPoIBNetwork", "HostDeviceNetwork", "MacvlanNetwork"} {
		for _, name := range kindsOf(objects, kind) {
			got[kind+" "+name] = fmt.Sprint(at(objects[kind+"/"+name], "spec", "networkNamespace"))
		}
	}
	if want := map[string]string{"IPoIBNetwork ib": "team-a", "IPoIBNetwork ib-team-b": "team-b", "HostDeviceNetwork hd": "default"}; !maps.Equal(got, want) {
		t.Errorf("networks %v", got)
	}
	if got := at(objects["HostDeviceNetwork/hd"], "spec", "resourceName"); got != "hostdev" {
		t.Errorf("the host-device network hands out %v", got)
	}
	usage := at(objects["USAGE.md"], "text").(string)
	for _, want := range []string{"k8s.v1.cni.cncf.io/networks: team-a/ib\n", "k8s.v1.cni.cncf.io/networks: default/hd\n", "rdma/shared_ib: 1\n", "nvidia.com/hostdev: 1\n"} {
		if strings.Count(usage, want) != 1 {
			t.Errorf("USAGE.md has %q %d times", want, strings.Count(usage, want))
		}
	}
}

// The page of virtual machines shows their virtual functions, and none of what Pods with RDMA read.
func TestAVirtualMachineIsShownItsNICs(t *testing.T) {
	objects := rendered(t, `
network:
  fabric: roce
  rdmaResources: {vf: {plugin: sriov-operator, name: vf, sriov: {numVfs: 8, deviceType: vfio-pci}}}
  secondaryNetworks: {fast: {type: sriov, resource: vf}, slow: {type: macvlan, master: ens1f0, ipam: {subnet: 10.1.0.0/16}}}`,
		pool("vms", "workload: vm-passthrough, host: {iommu: true}, rdma: [vf]"), `nodePools: {vms: {driver: {source: none}}}`)
	usage := at(objects["USAGE.md"], "text").(string)
	for want, times := range map[string]int{"sriov: {}": 1, "networkName: default/fast\n": 1, "default/slow": 0, "IPC_LOCK": 0, "NCCL": 0} {
		if got := strings.Count(usage, want); got != times {
			t.Errorf("USAGE.md has %q %d times, want %d", want, got, times)
		}
	}
	if names := kindsOf(objects, "ValidatingAdmissionPolicy"); slices.Contains(names, "gpugen-rdma-pods") {
		t.Errorf("tenants are let off for RDMA that only virtual machines have: %v", names)
	}
}

func TestPluginsOfNetworksGoWhereTheDistributionLooksForThem(t *testing.T) {
	for distribution, want := range map[string][2]any{
		"kubeadm": {nil, nil},
		"k3s":     {"/var/lib/rancher/k3s/data/cni", "/var/lib/rancher/k3s/agent/etc/cni/net.d"},
	} {
		values := rendered(t, fabric, `nodePools: {p: {rdma: [shared]}}`, pool("q", "rdma: [whole]"), "kubernetes: {distribution: "+distribution+"}")["network-operator/values.yaml"]
		if got := [2]any{at(values, "operator", "cniBinDirectory"), at(values, "operator", "cniNetworkDirectory")}; got != want {
			t.Errorf("%s: plugins and configuration go to %v, want %v", distribution, got, want)
		}
	}
}

func TestADriverLoadsPeermemOnlyWhereThePoolWantsIt(t *testing.T) {
	objects := renderedDespiteWarnings(t, fabric, `nodePools: {p: {rdma: [shared], gpuDirect: {rdma: peermem, storage: true}}}`, pool("q", "rdma: [shared], gpuDirect: {rdma: dma-buf, gdrcopy: true}"), pool("r", "rdma: []"))
	for name, want := range map[string]string{"p": "true true <nil>", "q": "false <nil> true", "r": "<nil> <nil> <nil>"} {
		driver := objects["NVIDIADriver/"+name]
		got := fmt.Sprint(at(driver, "spec", "rdma", "enabled"), " ", at(driver, "spec", "gds", "enabled"), " ", at(driver, "spec", "gdrcopy", "enabled"))
		if got != want {
			t.Errorf("the driver of pool %s has peermem, GPUDirect Storage, GDRCopy: %s, want %s", name, got, want)
		}
	}
	values := objects["gpu-operator/values.yaml"]
	for _, path := range [][]any{{"driver", "rdma", "enabled"}, {"gds", "enabled"}, {"gdrcopy", "enabled"}} {
		if at(values, path...) != false {
			t.Errorf("%v is %v for all nodes", path, at(values, path...))
		}
	}
}

// Each published variant of Azure's guide as a spec: what the guide gives to nodes
// is in the tree, as far as the guide's own files say it.
func TestTheVariantsOfAzuresGuide(t *testing.T) {
	guide := upstreamtest.Dir(t, "aks-rdma-infiniband", "700dabb")
	base := guided(t, guide, "configs/nicclusterpolicy/base/nic.yaml")
	for _, variant := range []struct{ name, file, section, list string }{
		{"rdma-shared-device-plugin", "rdma.yaml", "rdmaSharedDevicePlugin", "configList"},
		{"sriov-device-plugin", "sriov.yaml", "sriovDevicePlugin", "resourceList"},
		{"ipoib", "../rdma-shared-device-plugin/rdma.yaml", "rdmaSharedDevicePlugin", "configList"},
	} {
		t.Run(variant.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "aks-rdma-infiniband", variant.name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			objects := renderedAlone(t, string(text))
			ours := objects[policy]
			theirs := guided(t, guide, "configs/nicclusterpolicy/"+variant.name+"/"+variant.file)

			// The plugin hands out the same, by the same name.
			want, got := resources(t, theirs, variant.section, variant.list), resources(t, ours, variant.section, variant.list)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\n got %v\nwant %v", variant.section, got, want)
			}
			if at(ours, "spec", variant.section, "image") != at(theirs, "spec", variant.section, "image") {
				t.Errorf("image %v", at(ours, "spec", variant.section, "image"))
			}
			for _, field := range []string{"image", "startupProbe", "livenessProbe", "readinessProbe", "upgradePolicy"} {
				if got, want := at(ours, "spec", "ofedDriver", field), at(base, "spec", "ofedDriver", field); !within(want, got) {
					t.Errorf("ofedDriver.%s is %v, in the guide %v", field, got, want)
				}
			}

			// NICs of the fabric, by the same devices.
			rule := guided(t, guide, "tests/setup-infra/network-operator-nfd.yaml")
			labelled := []any{"spec", "rules", 0, "matchFeatures", 0, "matchExpressions", "device"}
			if got, want := at(objects["NodeFeatureRule/gpugen-fabric-nics"], labelled...), at(rule, labelled...); !reflect.DeepEqual(got, want) {
				t.Errorf("NICs by %v, in the guide %v", got, want)
			}

			// What the guide tells the operators, but for who owns NFD.
			theirValues, ourValues := guided(t, guide, "configs/values/gpu-operator/values.yaml"), objects["gpu-operator/values.yaml"]
			for _, path := range [][]any{{"driver", "rdma", "enabled"}, {"migManager", "enabled"}, {"dcgmExporter", "serviceMonitor", "enabled"}, {"dcgmExporter", "serviceMonitor", "additionalLabels"}} {
				if got, want := at(ourValues, path...), at(theirValues, path...); !reflect.DeepEqual(got, want) {
					t.Errorf("gpu-operator: %v is %v, in the guide %v", path, got, want)
				}
			}
			if got := at(objects["network-operator/values.yaml"], "nfd", "deployNodeFeatureRules"); got != at(guided(t, guide, "configs/values/network-operator/values.yaml"), "nfd", "deployNodeFeatureRules") {
				t.Errorf("network-operator: nfd.deployNodeFeatureRules is %v", got)
			}
			if at(ourValues, "nfd", "enabled") != true || at(objects["network-operator/values.yaml"], "nfd", "enabled") != false {
				t.Error("NFD has not one owner")
			}

			if variant.name != "ipoib" {
				if at(ours, "spec", "secondaryNetwork") != nil {
					t.Error("CNI plugins without a network")
				}
				return
			}
			network := guided(t, guide, "configs/nicclusterpolicy/ipoib/ipoib-network.yaml")
			our := objects["IPoIBNetwork/aks-infiniband"]
			for _, field := range []string{"networkNamespace", "master"} {
				if got, want := at(our, "spec", field), at(network, "spec", field); got != want {
					t.Errorf("%s is %v, in the guide %v", field, got, want)
				}
			}
			var ipam struct{ Range string }
			if err := json.Unmarshal([]byte(at(network, "spec", "ipam").(string)), &ipam); err != nil {
				t.Fatal(err)
			}
			if got := at(objects["nvidia-network-operator/IPPool/aks-infiniband"], "spec", "subnet"); got != ipam.Range {
				t.Errorf("addresses from %v, in the guide %v", got, ipam.Range)
			}
			for _, part := range []string{"multus", "cniPlugins", "ipoib"} {
				if got, want := at(ours, "spec", "secondaryNetwork", part, "image"), at(guided(t, guide, "configs/nicclusterpolicy/ipoib/ipoib.yaml"), "spec", "secondaryNetwork", part, "image"); got != want {
					t.Errorf("%s is %v, in the guide %v", part, got, want)
				}
			}
			if at(ours, "spec", "nvIpam", "image") == nil {
				t.Error("nobody installs the IPAM plugin")
			}
		})
	}
}

// within tells whether one value is part of another, which may say more.
func within(part, whole any) bool {
	fields, ok := part.(map[string]any)
	if !ok {
		return reflect.DeepEqual(part, whole)
	}
	all, ok := whole.(map[string]any)
	for name, value := range fields {
		ok = ok && within(value, all[name])
	}
	return ok
}

func guided(t *testing.T, guide, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(guide, file))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := yaml.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// resources are those of a device plugin's configuration, each with its prefix,
// which is rdma where the shared plugin is told none.
func resources(t *testing.T, policy any, section, list string) []any {
	t.Helper()
	var config map[string]any
	if err := json.Unmarshal([]byte(at(policy, "spec", section, "config").(string)), &config); err != nil {
		t.Fatal(err)
	}
	out := config[list].([]any)
	for _, r := range out {
		if r.(map[string]any)["resourcePrefix"] == nil {
			r.(map[string]any)["resourcePrefix"] = "rdma"
		}
	}
	return out
}
