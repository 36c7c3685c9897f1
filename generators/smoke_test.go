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
