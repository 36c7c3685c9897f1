package guide

import (
	"slices"
	"testing"
)

// A release of Helm is taken over only under its own name and namespace, so the README
// has those that the tree renders with.
func TestTheReadmeSaysUnderWhichNamesReleasesAreTakenOver(t *testing.T) {
	const pools = `nodePools: {p: {nodeSelector: pool: "p"} & _usual, q: {nodeSelector: pool: "q"} & _usual}
		_usual: {gpu: {model: "h100-sxm-80gb", count: 8}, os: {name: "ubuntu", version: "24.04"}, `
	const plugin = "`, one a pool: uninstall what serves several; Pods keep their GPUs"
	for _, test := range []struct {
		name, more string
		want       [][]string
	}{
		{"of other names", pools + `driver: source: "operator"}
			components: "gpu-operator": {releaseName: "gpu-operator-1", namespace: "nvidia"}`,
			[][]string{{"gpu-operator", "`gpu-operator-1`", "`nvidia`", "gpu-operator v26.3.3", "`research-gpu-operator`"}}},
		{"one a pool", pools + `driver: source: "host", host: {driver: "580.95.05", toolkit: true}}
			components: {"gpu-operator": state: "off", "nvidia-device-plugin": {state: "managed", releaseName: "nvdp", namespace: "nvdp"}, "node-feature-discovery": state: "external"}`,
			[][]string{
				{"dcgm-exporter", "`dcgm-exporter`", "`dcgm-exporter`", "dcgm-exporter 4.8.2", "`research-dcgm-exporter`"},
				{"nvidia-device-plugin-p", "`nvdp-p" + plugin, "`nvdp`", "nvidia-device-plugin 0.20.0", "`research-nvidia-device-plugin-p`"},
				{"nvidia-device-plugin-q", "`nvdp-q" + plugin, "`nvdp`", "nvidia-device-plugin 0.20.0", "`research-nvidia-device-plugin-q`"},
			}},
		{"no release", pools + `driver: source: "operator"}
			components: "gpu-operator": state: "external"`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec := `
				name: "research"
				kubernetes: {version: "1.35.8", distribution: "kubeadm"}
				gitops: {repoURL: "https://git.example.com/platform/gpu.git", path: "clusters/research/tree"}
				` + test.more
			got := readmeTable(t, spec, "Take over what is installed already")
			if !slices.EqualFunc(got, test.want, slices.Equal[[]string]) {
				t.Errorf("the table has %q, want %q", got, test.want)
			}
		})
	}
}
