package generators_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What each test wants, beside GPUDirect RDMA: all NICs, NVLink, or whatever NCCL likes.
var ncclWants = []struct {
	file, told string
	status     int
	exit       int
	says       string
}{
	{file: "rails.log", told: "WANT=fabric NICS=8", exit: allDirect, says: "over 8 NICs"},
	// The one NIC that is left carries all data by GPUDirect RDMA.
	{file: "rails_seven_dead.log", told: "WANT=fabric NICS=8", exit: idleNIC, says: "NCCL found 1 of 8 NICs"},
	{file: "rails_one_dead.log", told: "WANT=fabric NICS=8", exit: idleNIC, says: "NCCL found 7 of 8 NICs"},
	{file: "rails_one_idle.log", told: "WANT=fabric NICS=8", exit: idleNIC, says: "7 of 8 NICs of this node carried data; idle: mlx5_5"},
	{file: "rails_one_idle.log", told: "WANT=fabric NICS=7", exit: allDirect, says: "idle: mlx5_5"},
	// Elastic Fabric Adapters work in groups, one for each GPU where there are as many.
	{file: "efa.log", told: "WANT=fabric GPUS=8 NICS=32", exit: allDirect, says: "over 32 NICs"},
	{file: "efa_groups.log", told: "WANT=fabric GPUS=8 NICS=4", exit: allDirect, says: "over 4 NICs"},
	{file: "efa_fewer.log", told: "WANT=fabric GPUS=8 NICS=32", exit: idleNIC, says: "NCCL found 31 of 32 NICs"},
	{file: "efa_one_group_idle.log", told: "WANT=fabric GPUS=8 NICS=32", exit: idleNIC, says: "1 of 8 groups"},
	{file: "efa.log", told: "WANT=choice GPUS=8 NICS=32", exit: allDirect, says: "over 32 NICs"},
	{file: "efa_staged.log", told: "WANT=choice GPUS=8 NICS=32 GPU_DIRECT=none", exit: allDirect, says: "NCCL chose RDMA through the CPU's memory"},
	{file: "rails_merged.log", told: "WANT=fabric NICS=4", exit: allDirect, says: "4 at work"},
	{file: "rails_merged.log", told: "WANT=fabric NICS=5", exit: idleNIC, says: "NCCL found 4 of 5"},
	// github.com/NVIDIA/nccl src/transport/net_ib.cc at v2.27.3-1, dataDirect.
	{file: "rails_data_direct.log", told: "WANT=fabric NICS=2", exit: allDirect, says: "2 at work"},
	{file: "rails_data_direct.log", told: "WANT=fabric NICS=4", exit: idleNIC, says: "NCCL found 2 of 4"},
	// https://github.com/NVIDIA/nccl/issues/1291.
	{file: "rails_sharp.log", told: "WANT=fabric NICS=2", exit: allDirect, says: "2 at work"},
	// A plugin that does not say which NICs there are still says which it uses.
	{file: "direct_by_plugin.log", told: "WANT=fabric NICS=1", exit: allDirect, says: "1 at work"},
	{file: "direct_by_plugin.log", told: "WANT=fabric NICS=8", exit: idleNIC, says: "1 of 8 NICs of this node carried data; idle: unknown"},
	{file: "staged.log", told: "WANT=fabric NICS=8", exit: throughCPU},
	{file: "sockets.log", told: "WANT=fabric NICS=8", exit: bySocket},

	{file: "rails.log", told: "WANT=choice NICS=8", exit: allDirect, says: "NCCL chose GPUDirect RDMA, over 8 NICs"},
	{file: "rails_seven_dead.log", told: "WANT=choice NICS=8", exit: allDirect, says: "over 1 NICs"},
	{file: "staged_though_able.log", told: "WANT=choice NICS=1 GPU_DIRECT=dma-buf", exit: throughCPU, says: "NCCL_NET_GDR_LEVEL=SYS"},
	{file: "staged.log", told: "WANT=choice NICS=1 GPU_DIRECT=none", exit: allDirect, says: "NCCL chose RDMA through the CPU's memory"},
	{file: "sockets.log", told: "WANT=choice NICS=1 GPU_DIRECT=none", exit: bySocket},
	{file: "nvlink.log", told: "WANT=choice GPUS=4", exit: allDirect, says: "NCCL chose NVLink"},
	{file: "nvlink_two_domains.log", told: "WANT=choice GPUS=4 NICS=4", exit: allDirect, says: "NCCL chose GPUDirect RDMA"},
	{file: "one_node.log", told: "WANT=choice NICS=1", exit: broken, says: "without any network"},

	// github.com/NVIDIA/nccl src/mnnvl.cc, src/init.cc and src/transport/p2p.cc at v2.27.3-1.
	{file: "nvlink.log", told: "WANT=nvlink GPUS=4", exit: allDirect, says: "by NVLink"},
	{file: "nvlink_two_domains.log", told: "WANT=nvlink GPUS=4", exit: noNVLink, says: "NVLink joins 4 of 8 GPUs"},
	{file: "nvlink_and_nics.log", told: "WANT=nvlink GPUS=4", exit: noNVLink, says: "a part went through NICs"},
	{file: "nvlink_not_joined.log", told: "WANT=nvlink GPUS=4", exit: noNVLink, says: "have not joined the NVLink fabric"},
	{file: "nvlink_off.log", told: "WANT=nvlink GPUS=4", exit: noNVLink, says: "no NVLink between the nodes"},
	{file: "rails.log", told: "WANT=nvlink GPUS=8", exit: noNVLink, says: "no NVLink between the nodes"},
	{file: "nvlink_no_channel.log", told: "WANT=nvlink GPUS=4", status: 1, exit: broken, says: "a channel of a ComputeDomain"},
	// NCCL 2.28.9 on two H200 GPUs of one machine without NICs, told that they were two (2026-11-22); then not told.
	{file: "h200_sockets.log", told: "WANT=fabric GPUS=1 NICS=1", exit: bySocket, says: "4 by sockets"},
	{file: "h200_sockets.log", told: "WANT=choice GPUS=1 NICS=1", exit: bySocket, says: "the Pod has no RDMA device"},
	{file: "h200_sockets.log", told: "WANT=nvlink GPUS=1", exit: noNVLink, says: "ends at their node"},
	{file: "h200_one_node.log", told: "WANT=fabric GPUS=1 NICS=1", exit: broken, says: "without any network"},
	{file: "h200_one_node.log", told: "WANT=choice GPUS=1", exit: broken, says: "without any network"},
	{file: "no such file", told: "WANT=nvlink GPUS=4", exit: broken, says: "NCCL logged nothing"},
}

func TestEachNCCLTestWantsWhatItIsCalledBy(t *testing.T) {
	text := script(t, rendered(t, withFabric), "nccl-verdict.sh")
	for _, test := range ncclWants {
		t.Run(test.file+" "+test.told, func(t *testing.T) {
			withShells(t, func(t *testing.T, shell []string) {
				dir := t.TempDir()
				out, exit := runScript(t, shell, dir, strings.Fields(test.told), writeProgram(t, dir, "verdict.sh", text), fmt.Sprint(test.status), filepath.Join("testdata", "nccl", test.file))
				if exit != test.exit || !strings.Contains(out, test.says) {
					t.Errorf("exit %d, want %d and %q\n%s", exit, test.exit, test.says, out)
				}
				if passed := strings.Contains(out, "PASSED"); passed != (test.exit == allDirect) || strings.Contains(out, "Cure: ") == passed {
					t.Errorf("it does not say clearly whether it passed\n%s", out)
				}
			})
		})
	}
}

// What the Pods of NCCL's tests ask for, and what they force NCCL to.
func TestWhatNCCLTestsAskFor(t *testing.T) {
	const withTests = `smokeTests: {enabled: true, nccl: true}`
	for _, test := range []struct {
		name     string
		overlays []string
		// want is what each Pod asks for and claims, the variables of NCCL that it sets, and the capabilities that it adds.
		want map[string]string
		// level of Pod Security that the Namespace needs.
		level string
	}{
		{"NICs in common", []string{withFabric}, map[string]string{
			"nccl-p-fabric": "nvidia.com/gpu: 8, rdma/shared_ib: 1; NCCL_COLLNET_ENABLE NCCL_MNNVL_ENABLE NCCL_NET_GDR_LEVEL NCCL_SOCKET_IFNAME; 8 NICs; [IPC_LOCK]",
			"nccl-p-choice": "nvidia.com/gpu: 8, rdma/shared_ib: 1; ; 8 NICs; [IPC_LOCK]",
		}, "privileged"},
		{"NICs that are lent", []string{wholeNICs, withTests}, map[string]string{
			"nccl-p-fabric": "nvidia.com/gpu: 8, nvidia.com/hostdev: 8; NCCL_COLLNET_ENABLE NCCL_MNNVL_ENABLE NCCL_NET_GDR_LEVEL NCCL_SOCKET_IFNAME; 8 NICs; [IPC_LOCK]",
			"nccl-p-choice": "nvidia.com/gpu: 8, nvidia.com/hostdev: 8; ; 8 NICs; [IPC_LOCK]",
		}, "privileged"},
		{"fewer NICs than GPUs", []string{wholeNICs, withTests, `network: {rdmaResources: {hd: {count: 2}}}`}, map[string]string{
			"nccl-p-fabric": "nvidia.com/gpu: 8, nvidia.com/hostdev: 2; NCCL_COLLNET_ENABLE NCCL_MNNVL_ENABLE NCCL_NET_GDR_LEVEL NCCL_SOCKET_IFNAME; 2 NICs; [IPC_LOCK]",
			"nccl-p-choice": "nvidia.com/gpu: 8, nvidia.com/hostdev: 2; ; 2 NICs; [IPC_LOCK]",
		}, "privileged"},
		{"NICs by name", []string{fabric, withTests, `nodePools: {p: {rdma: [shared, whole], gpuDirect: {rdma: dma-buf}}}`}, map[string]string{
			"nccl-p-fabric": "nvidia.com/gpu: 8, nvidia.com/hostdev: 1, rdma/shared_ib: 1; NCCL_COLLNET_ENABLE NCCL_MNNVL_ENABLE NCCL_NET_GDR_LEVEL NCCL_SOCKET_IFNAME; 2 NICs; [IPC_LOCK]",
			"nccl-p-choice": "nvidia.com/gpu: 8, nvidia.com/hostdev: 1, rdma/shared_ib: 1; ; 2 NICs; [IPC_LOCK]",
		}, "privileged"},
		{"a fabric without GPUDirect RDMA", []string{wholeNICs, withTests, `nodePools: {p: {gpuDirect: {rdma: none}}}`}, map[string]string{
			"nccl-p-choice": "nvidia.com/gpu: 8, nvidia.com/hostdev: 8; ; 8 NICs; [IPC_LOCK]",
		}, "privileged"},
		{"a rack", []string{rack, withTests}, map[string]string{
			"nccl-p-nvlink": "nvidia.com/gpu: 4, nccl-p-channel; NCCL_MNNVL_ENABLE NCCL_SOCKET_IFNAME;  NICs; []",
			"nccl-p-choice": "nvidia.com/gpu: 4, nccl-p-channel; ;  NICs; []",
		}, "baseline"},
		{"a rack with NICs, by claim", []string{rack, wholeNICs, withTests, `nodePools: {p: {allocation: dra}}`}, map[string]string{
			"nccl-p-fabric": "nvidia.com/hostdev: 4, p-node; NCCL_COLLNET_ENABLE NCCL_MNNVL_ENABLE NCCL_NET_GDR_LEVEL NCCL_SOCKET_IFNAME; 4 NICs; [IPC_LOCK]",
			"nccl-p-nvlink": "p-node, nccl-p-channel; NCCL_MNNVL_ENABLE NCCL_SOCKET_IFNAME;  NICs; []",
			"nccl-p-choice": "nvidia.com/hostdev: 4, p-node, nccl-p-channel; ; 4 NICs; [IPC_LOCK]",
		}, "privileged"},
		{"adapters of AWS", []string{adaptersOfAWS}, map[string]string{
			"nccl-p-fabric": "hugepages-2Mi: 5Gi, nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 32; NCCL_COLLNET_ENABLE NCCL_MNNVL_ENABLE NCCL_NET_GDR_LEVEL NCCL_SOCKET_IFNAME; 32 NICs; []",
			"nccl-p-choice": "hugepages-2Mi: 5Gi, nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 32; ; 32 NICs; []",
		}, "baseline"},
		{"machines of Azure", []string{machineOfAzure, withFabric}, map[string]string{
			"nccl-p-fabric": "nvidia.com/gpu: 8, rdma/shared_ib: 1; NCCL_COLLNET_ENABLE NCCL_IB_PCI_RELAXED_ORDERING NCCL_IGNORE_CPU_AFFINITY NCCL_MNNVL_ENABLE NCCL_NET_GDR_LEVEL NCCL_SOCKET_IFNAME NCCL_TOPO_FILE; 8 NICs; [IPC_LOCK]",
			"nccl-p-choice": "nvidia.com/gpu: 8, rdma/shared_ib: 1; NCCL_IB_PCI_RELAXED_ORDERING NCCL_IGNORE_CPU_AFFINITY NCCL_TOPO_FILE; 8 NICs; [IPC_LOCK]",
		}, "privileged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			objects := renderedDespiteWarnings(t, test.overlays...)
			got := map[string]string{}
			for name, pod := range podsOfTests(objects) {
				if !strings.HasPrefix(name, "nccl-") {
					continue
				}
				container := at(pod, "containers", 0)
				var asked, forced []string
				limits, _ := at(container, "resources", "limits").(map[string]any)
				for _, resource := range slices.Sorted(maps.Keys(limits)) {
					asked = append(asked, fmt.Sprintf("%s: %v", resource, limits[resource]))
				}
				for i, claim := range list(at(pod, "resourceClaims")) {
					asked = append(asked, fmt.Sprint(at(claim, "resourceClaimTemplateName")))
					if at(container, "resources", "claims", i, "name") != at(claim, "name") {
						t.Errorf("%s: the container does not use claim %v", name, at(claim, "name"))
					}
				}
				nics := ""
				for _, entry := range list(at(container, "env")) {
					variable := fmt.Sprint(at(entry, "name"))
					if strings.HasPrefix(variable, "NCCL_") {
						forced = append(forced, variable)
					}
					if variable == "NICS" {
						nics = fmt.Sprint(at(entry, "value"))
					}
					if want := strings.TrimPrefix(name, "nccl-p-"); variable == "WANT" && at(entry, "value") != want {
						t.Errorf("%s wants %v", name, at(entry, "value"))
					}
				}
				slices.Sort(forced)
				got[name] = fmt.Sprintf("%s; %s; %s NICs; %v", strings.Join(asked, ", "), strings.Join(forced, " "), nics, list(at(container, "securityContext", "capabilities", "add")))
				if objects["gpu-smoke-tests/Service/"+name] == nil || at(pod, "subdomain") != name {
					t.Errorf("%s: its Pods do not find each other", name)
				}
				for _, volume := range list(at(pod, "volumes")) {
					if at(volume, "name") == "nccl-files" && at(volume, "configMap", "optional") != true {
						t.Errorf("%s does not start without files that a person fetches", name)
					}
				}
			}
			if !maps.Equal(got, test.want) {
				t.Errorf("the tests ask for\n%v, want\n%v", got, test.want)
			}
			if level(objects) != test.level {
				t.Errorf("the Namespace's level is %v, want %v", level(objects), test.level)
			}
			for _, asked := range test.want {
				if strings.Contains(asked, "nccl-p-channel") && at(objects["gpu-smoke-tests/ComputeDomain/nccl-p"], "spec", "channel", "resourceClaimTemplate", "name") != "nccl-p-channel" {
					t.Error("no ComputeDomain makes the template of the channel")
				}
			}
		})
	}
}

// adaptersOfAWS are those of p5.48xlarge.
const adaptersOfAWS = `{
  kubernetes: {distribution: eks},
  network: {fabric: efa, rdmaResources: {efa: {plugin: efa, name: efa}}},
  nodePools: {p: {nodes: 4, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: amazon-linux, version: "2023"}, driver: {source: cloud}, rdma: [efa], gpuDirect: {rdma: dma-buf}}},
  smokeTests: {enabled: true, nccl: true},
}`
