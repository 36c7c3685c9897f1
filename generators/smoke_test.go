package generators_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shells that a smoke test's image may have as sh; those that are here are tried.
var shells = [][]string{{"sh"}, {"dash"}, {"bash", "--posix"}, {"busybox", "sh"}}

// withShells runs a test under each shell of this machine.
func withShells(t *testing.T, test func(t *testing.T, shell []string)) {
	t.Helper()
	tried := 0
	for _, shell := range shells {
		if _, err := exec.LookPath(shell[0]); err != nil {
			continue
		}
		tried++
		t.Run(strings.Join(shell, " "), func(t *testing.T) { test(t, shell) })
	}
	if tried == 0 {
		t.Fatal("no shell on this machine")
	}
}

// script is a file of the smoke tests' ConfigMaps, as it is rendered.
func script(t *testing.T, objects map[string]any, name string) string {
	t.Helper()
	for key, object := range objects {
		if strings.HasPrefix(key, "gpu-smoke-tests/ConfigMap/") {
			if text, ok := at(object, "data", name).(string); ok {
				return text
			}
		}
	}
	t.Fatalf("no ConfigMap has %s", name)
	return ""
}

// writeProgram makes a file below dir, executable.
func writeProgram(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// runScript runs a script with further variables; PATH begins with dir.
func runScript(t *testing.T, shell []string, dir string, variables []string, args ...string) (output string, exit int) {
	t.Helper()
	cmd := exec.Command(shell[0], slices.Concat(shell[1:], args)...)
	cmd.Env = append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "LC_ALL=C"}, variables...)
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

const (
	h100 = "GPU %d: NVIDIA H100 80GB HBM3 (UUID: GPU-0000000%d-aaaa-bbbb-cccc-000000000000)\n"
	a100 = "GPU %d: NVIDIA A100-SXM4-80GB (UUID: GPU-0000000%d-aaaa-bbbb-cccc-000000000000)\n"
	mig  = "  MIG %-15s Device %2d: (UUID: MIG-0000000%d-aaaa-bbbb-cccc-000000000000)\n"

	// passes is what vectorAdd of the CUDA samples prints.
	passes = "echo '[Vector addition of 50000 elements]'; echo 'Test PASSED'; echo Done"
)

func gpus(line string, n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, line, i, i)
	}
	return out.String()
}

// What nvidia-smi -L and vectorAdd say in a container, and whether that is a pass.
func TestTheCUDATestPassesOnJustTheGPUsThatItAskedFor(t *testing.T) {
	text := script(t, rendered(t, `smokeTests: {enabled: true}`), "cuda-test.sh")
	slice := func(profile string) string { return gpus(h100, 1) + fmt.Sprintf(mig, profile, 0, 0) }
	for _, test := range []struct {
		name, list, vectorAdd string
		asked                 []string
		// fault is said if it fails.
		fault string
	}{
		{name: "one GPU", asked: []string{"GPUS=1"}, list: gpus(h100, 1), vectorAdd: passes},
		{name: "a whole node", asked: []string{"GPUS=8"}, list: gpus(h100, 8), vectorAdd: passes},
		{name: "a slice", asked: []string{"GPUS=1", "MIG_PROFILE=1g.10gb"}, list: slice("1g.10gb"), vectorAdd: passes},
		{name: "a slice with media engines", asked: []string{"GPUS=1", "MIG_PROFILE=1g.10gb+me"}, list: slice("1g.10gb+me"), vectorAdd: passes},
		{name: "more GPUs than asked for", asked: []string{"GPUS=1"}, list: gpus(h100, 8), vectorAdd: passes, fault: "8 GPUs are visible, it asked for 1"},
		{name: "a GPU fell off the bus", asked: []string{"GPUS=8"}, list: gpus(h100, 7), vectorAdd: passes, fault: "7 GPUs are visible, it asked for 8"},
		{name: "another model", asked: []string{"GPUS=1"}, list: gpus(a100, 1), vectorAdd: passes, fault: "NVIDIA-A100-SXM4-80GB"},
		{name: "one of another model", asked: []string{"GPUS=2"}, list: gpus(h100, 1) + fmt.Sprintf(a100, 1, 1), vectorAdd: passes, fault: "NVIDIA-A100-SXM4-80GB"},
		{name: "a model whose name begins alike", asked: []string{"GPUS=1"}, list: strings.Replace(gpus(h100, 1), "HBM3", "HBM3e", 1), vectorAdd: passes, fault: "NVIDIA-H100-80GB-HBM3e"},
		{name: "another profile", asked: []string{"GPUS=1", "MIG_PROFILE=1g.10gb"}, list: slice("2g.20gb"), vectorAdd: passes, fault: "asked for one 1g.10gb"},
		{name: "a profile whose name begins alike", asked: []string{"GPUS=1", "MIG_PROFILE=1g.10gb"}, list: slice("1g.10gb+me"), vectorAdd: passes, fault: "asked for one 1g.10gb"},
		{name: "all slices of the GPU", asked: []string{"GPUS=1", "MIG_PROFILE=1g.10gb"}, list: slice("1g.10gb") + fmt.Sprintf(mig, "1g.10gb", 1, 1), vectorAdd: passes, fault: "2 MIG slices are visible"},
		{name: "a GPU in place of a slice", asked: []string{"GPUS=1", "MIG_PROFILE=1g.10gb"}, list: gpus(h100, 1), vectorAdd: passes, fault: "0 MIG slices are visible"},
		{name: "slices in place of a GPU", asked: []string{"GPUS=1"}, list: slice("1g.10gb"), vectorAdd: passes, fault: "asked for whole GPUs"},
		{name: "no GPU at all", asked: []string{"GPUS=1"}, list: "No devices found.\n", vectorAdd: passes, fault: "0 GPUs are visible"},
		{name: "vectorAdd computes nonsense", asked: []string{"GPUS=1"}, list: gpus(h100, 1), vectorAdd: "echo 'Result verification failed at element 0!'", fault: "computed something else"},
		{name: "vectorAdd breaks off", asked: []string{"GPUS=1"}, list: gpus(h100, 1), vectorAdd: "echo 'no CUDA-capable device is detected'; exit 1", fault: "status 1"},
		{name: "the last GPU of the node is broken", asked: []string{"GPUS=8"}, list: gpus(h100, 8), vectorAdd: `[ "$CUDA_VISIBLE_DEVICES" = 7 ] && exit 1; ` + passes, fault: "vectorAdd on GPU 7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			withShells(t, func(t *testing.T, shell []string) {
				dir := t.TempDir()
				writeProgram(t, dir, "nvidia-smi", "#!/bin/sh\n[ \"$*\" = -L ] || exit 6\ncat <<'END'\n"+test.list+"END\n")
				sample := writeProgram(t, dir, "vectorAdd", "#!/bin/sh\n"+test.vectorAdd+"\n")
				out, exit := runScript(t, shell, dir, append(test.asked, "PRODUCT=NVIDIA-H100-80GB-HBM3", "SAMPLE="+sample), writeProgram(t, dir, "test.sh", text))
				checkVerdict(t, out, exit, test.fault)
			})
		})
	}
	t.Run("nothing of the driver is there", func(t *testing.T) {
		withShells(t, func(t *testing.T, shell []string) {
			dir := t.TempDir()
			writeProgram(t, dir, "nvidia-smi", "#!/bin/sh\necho 'NVIDIA-SMI has failed'; exit 9\n")
			out, exit := runScript(t, shell, dir, []string{"GPUS=1", "PRODUCT=NVIDIA-H100-80GB-HBM3"}, writeProgram(t, dir, "test.sh", text))
			checkVerdict(t, out, exit, "NVIDIA-SMI has failed")
		})
	})
}

// checkVerdict wants a pass, or a failure that says what is wrong and what to do.
func checkVerdict(t *testing.T, out string, exit int, fault string) {
	t.Helper()
	passed := strings.Contains(out, "PASSED: ")
	switch {
	case fault == "" && (exit != 0 || !passed):
		t.Errorf("it did not pass: exit %d\n%s", exit, out)
	case fault != "" && (exit == 0 || passed):
		t.Errorf("it passed\n%s", out)
	case fault != "" && !strings.Contains(out, fault):
		t.Errorf("it does not say %q\n%s", fault, out)
	case fault != "" && !strings.Contains(out, "\nCure: "):
		t.Errorf("it does not say what to do\n%s", out)
	}
}

// withFabric has NCCL tests of pool p.
const withFabric = `{
  network: {fabric: infiniband, ofed: {source: operator}, rdmaResources: {ib: {plugin: shared, name: shared_ib, select: {linkTypes: [infiniband]}}}},
  nodePools: {p: {nodes: 4, rdma: [ib], gpuDirect: {rdma: dma-buf}}},
  smokeTests: {enabled: true, nccl: true},
}`

// Exit codes of nccl-verdict.sh.
const (
	allDirect = iota
	broken
	bySocket
	throughCPU
	partlyDirect
	idleNIC
	noNVLink
)

// Logs are our own, in the form that NCCL's source and public logs have. What it
// says of a part of the connections is of no use: one NIC without GPUDirect RDMA
// makes all wait for it.
var ncclLogs = []struct {
	file   string
	status int
	exit   int
	says   string
}{
	// https://github.com/Azure/aks-rdma-infiniband/pull/36 (2025-04-10), https://github.com/NVIDIA/nccl/blob/v2.27.3-1/src/transport/net.cc (/Shared, and the GPU in the middle).
	{"direct.log", 0, allDirect, "4 connections by GPUDirect RDMA"},
	// https://github.com/NVIDIA/nccl/blob/v2.27.3-1/src/transport/net.cc, ncclTopoGdrModePci.
	{"direct_around_c2c.log", 0, allDirect, "2 connections by GPUDirect RDMA"},
	// https://github.com/deepseek-ai/DeepEP/issues/106: NET/IBext.
	{"direct_by_plugin.log", 0, allDirect, "2 connections by GPUDirect RDMA"},
	// https://github.com/NVIDIA/nccl/issues/1412, https://github.com/NVIDIA/nccl/issues/1537 (2024-12-09).
	{"staged.log", 0, throughCPU, "DMA-BUF takes NVIDIA's open kernel modules"},
	// https://github.com/NVIDIA/nccl/issues/1814.
	{"staged_by_plugin.log", 0, throughCPU, "through the CPU's memory"},
	// https://github.com/NVIDIA/nccl/issues/1151 (2024-01-18).
	{"staged_though_able.log", 0, throughCPU, "too far apart"},
	// https://github.com/NVIDIA/nccl/issues/952.
	{"sockets.log", 0, bySocket, "the Pod has no RDMA device"},
	// https://github.com/NVIDIA/nccl/issues/1053.
	{"sockets_on_purpose.log", 0, bySocket, "NCCL_IB_DISABLE"},
	{"partly.log", 0, partlyDirect, "differ from the others"},
	// https://github.com/NVIDIA/nccl/issues/392 (2020-09-24): a NCCL that said Ring, and GPUs before Ampere.
	{"sends_staged.log", 0, partlyDirect, "what GPUs send"},
	{"receives_staged.log", 0, partlyDirect, "what GPUs receive"},
	{"one_direction.log", 0, partlyDirect, "one direction only"},
	{"one_node.log", 0, broken, "without any network"},
	{"no such file", 0, broken, "NCCL logged nothing"},
	// A program that failed has failed, whatever the connections were.
	{"direct.log", 1, broken, "the program ended with status 1"},
	{"direct.log", 124, broken, "did not come to an end"},
	{"no such file", 1, broken, "the program ended with status 1"},
	// https://github.com/NVIDIA/nccl/issues/1405, https://github.com/NVIDIA/nccl/issues/1664 (2025-04-01).
	{"unreachable.log", 1, broken, "one NIC does not reach another"},
	// https://github.com/NVIDIA/nccl/issues/707.
	{"no_access.log", 1, broken, "refused access to GPU memory"},
	// https://github.com/NVIDIA/nccl-tests/issues/206 (2024-04-18).
	{"locked_memory.log", 1, broken, "IPC_LOCK"},
	// https://github.com/aws/aws-ofi-nccl src/nccl_ofi_net.cpp and src/nccl_ofi_rdma.cpp at v1.14.2 (read 2026-11).
	{"efa.log", 0, allDirect, "16 connections by GPUDirect RDMA"},
	{"efa_staged.log", 0, throughCPU, "through the CPU's memory"},
	{"efa_none.log", 0, bySocket, "the Pod has no Elastic Fabric Adapter"},
	{"efa_unreachable.log", 1, broken, "security group"},
	{"efa_locked_memory.log", 1, broken, "an Elastic Fabric Adapter may not lock memory"},
}

func TestTheNCCLTestPassesOnlyIfAllWentByGPUDirectRDMA(t *testing.T) {
	text := script(t, rendered(t, withFabric), "nccl-verdict.sh")
	for _, test := range ncclLogs {
		t.Run(fmt.Sprint(test.file, " ", test.status), func(t *testing.T) {
			withShells(t, func(t *testing.T, shell []string) {
				dir := t.TempDir()
				out, exit := runScript(t, shell, dir, []string{"GPU_DIRECT=dma-buf"}, writeProgram(t, dir, "verdict.sh", text), fmt.Sprint(test.status), filepath.Join("testdata", "nccl", test.file))
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

// The verdict is about all processes of a node, one log each.
func TestOneProcessWithoutGPUDirectRDMASpoilsTheNCCLTest(t *testing.T) {
	text := script(t, rendered(t, withFabric), "nccl-verdict.sh")
	log := func(name string) string { return filepath.Join("testdata", "nccl", name) }
	withShells(t, func(t *testing.T, shell []string) {
		for _, test := range []struct {
			logs []string
			exit int
		}{
			{[]string{log("direct.log"), log("direct_by_plugin.log")}, allDirect},
			{[]string{log("direct.log"), log("one_node.log")}, allDirect},
			{[]string{log("direct.log"), log("staged.log")}, partlyDirect},
			{[]string{log("sockets.log"), log("direct.log")}, bySocket},
		} {
			dir := t.TempDir()
			out, exit := runScript(t, shell, dir, nil, append([]string{writeProgram(t, dir, "verdict.sh", text), "0"}, test.logs...)...)
			if exit != test.exit {
				t.Errorf("%v: exit %d, want %d\n%s", test.logs, exit, test.exit, out)
			}
		}
	})
}

// What happens around the verdict, with programs in place of those of the image.
func TestTheTwoPodsOfAnNCCLTestFindEachOther(t *testing.T) {
	objects := rendered(t, withFabric)
	for _, test := range []struct {
		name, getent, torchrun string
		exit                   int
		says                   string
	}{
		{"the other one is there", "exit 0", `cp "$LOG" "${NCCL_DEBUG_FILE%/*}/a.61.log"`, allDirect, "PASSED"},
		{"it takes a while to come", `[ -e "$0.asked" ] && exit 0; : > "$0.asked"; exit 2`, `cp "$LOG" "${NCCL_DEBUG_FILE%/*}/a.61.log"`, allDirect, "PASSED"},
		{"it never comes", "exit 2", "exit 0", broken, "nccl-p-1-0.nccl-p, has no address"},
		{"the sum is wrong", "exit 0", `cp "$LOG" "${NCCL_DEBUG_FILE%/*}/a.61.log"; exit 1`, broken, "status 1"},
		{"nothing is logged", "exit 0", "exit 0", broken, "NCCL logged nothing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			withShells(t, func(t *testing.T, shell []string) {
				dir := t.TempDir()
				for _, name := range []string{"nccl-test.sh", "nccl-verdict.sh", "all_reduce.py"} {
					writeProgram(t, dir, name, script(t, objects, name))
				}
				writeProgram(t, dir, "getent", "#!/bin/sh\n"+test.getent+"\n")
				writeProgram(t, dir, "sleep", "#!/bin/sh\n")
				writeProgram(t, dir, "torchrun", "#!/bin/sh\necho \"torchrun $*\"\n"+test.torchrun+"\n")
				log, err := filepath.Abs(filepath.Join("testdata", "nccl", "direct.log"))
				if err != nil {
					t.Fatal(err)
				}
				variables := []string{"JOB=nccl-p-1", "SERVICE=nccl-p", "JOB_COMPLETION_INDEX=1", "GPUS=8", "GPU_DIRECT=dma-buf", "TRIES=3", "TMPDIR=" + dir, "LOG=" + log}
				out, exit := runScript(t, shell, dir, variables, filepath.Join(dir, "nccl-test.sh"))
				if exit != test.exit || !strings.Contains(out, test.says) {
					t.Errorf("exit %d, want %d and %q\n%s", exit, test.exit, test.says, out)
				}
				if test.getent == "exit 0" && !strings.Contains(out, "torchrun --nnodes=2 --nproc-per-node=8 --node-rank=1 --master-addr=nccl-p-1-0.nccl-p --master-port=29500 ") {
					t.Errorf("the two would not meet\n%s", out)
				}
			})
		})
	}
}
