package typo

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []string
		want       []string
	}{
		{"nodez", []string{"nodes", "node", "modes"}, []string{"node", "nodes"}},
		{"xy", []string{"os", "gpu"}, nil},
		{"nodepools", []string{"nodePools", "network"}, []string{"nodePools"}},
		{"gpu_operator", []string{"gpu-operator", "network-operator"}, []string{"gpu-operator"}},
		{"tainst", []string{"taints", "tenants"}, []string{"taints"}},
		{"completely", []string{"different"}, nil},
	} {
		if got := Nearest(c.name, c.candidates); !slices.Equal(got, c.want) {
			t.Errorf("Nearest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAFamilyBeginsWithTheSameWordAndNumber(t *testing.T) {
	models := []string{"rtx-4090-d", "rtx-4090", "rtx-4080", "rtx-a6000", "titan-v", "h100-sxm-80gb"}
	for name, want := range map[string][]string{
		"RTX 4090 Ti": {"rtx-4090", "rtx-4090-d"}, "h100-sxm-90gb": {"h100-sxm-80gb"},
		"rtx": nil, "rtx-5": nil, "rtx-a6000-x": nil, "titan-v-2": nil, "h": nil, "": nil, "4090": nil,
	} {
		if got := Family(name, models); !slices.Equal(got, want) {
			t.Errorf("Family(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNearestNameOffersNothingElse(t *testing.T) {
	models := map[string]string{
		"h100-nvl-94gb": "NVIDIA-H100-NVL", "h100-pcie-80gb": "NVIDIA-H100-PCIe", "h100-sxm-80gb": "NVIDIA-H100-80GB-HBM3",
		"h200-sxm-141gb": "NVIDIA-H200", "h800-pcie-80gb": "NVIDIA-H800-PCIe", "a100-sxm-40gb": "NVIDIA-A100-SXM4-40GB", "a100-sxm-80gb": "NVIDIA-A100-SXM4-80GB",
		"rtx-4080": "NVIDIA-GeForce-RTX-4080", "rtx-4080-super": "NVIDIA-GeForce-RTX-4080-SUPER", "rtx-4090": "NVIDIA-GeForce-RTX-4090",
		"rtx-6000-ada": "NVIDIA-RTX-6000-Ada-Generation", "rtx-a6000": "NVIDIA-RTX-A6000", "t4": "Tesla-T4", "l4": "NVIDIA-L4", "l40": "NVIDIA-L40", "l40s": "NVIDIA-L40S",
		"titan-v": "NVIDIA-TITAN-V", "titan-rtx": "NVIDIA-TITAN-RTX",
	}
	for _, c := range []struct {
		written string
		want    []string
	}{
		// Part of a name, other separators, another of its names.
		{"H200", []string{"h200-sxm-141gb"}},
		{"h100", []string{"h100-nvl-94gb", "h100-pcie-80gb", "h100-sxm-80gb"}},
		{"H100 SXM", []string{"h100-sxm-80gb"}},
		{"h100_sxm_80gb", []string{"h100-sxm-80gb"}},
		{"rtx4090", []string{"rtx-4090"}},
		{"geforce-rtx-4080", []string{"rtx-4080", "rtx-4080-super"}},
		{"rtx 4080", []string{"rtx-4080"}},
		{"a100-sxm4-80gb", []string{"a100-sxm-80gb"}},
		{"a100-40gb", []string{"a100-sxm-40gb"}},
		{"tesla t4", []string{"t4"}},
		{"titan", []string{"titan-rtx", "titan-v"}},
		{"4090", []string{"rtx-4090"}},
		// One letter of a word.
		{"h100-smx-80gb", []string{"h100-sxm-80gb"}},
		{"h100-pci-80gb", []string{"h100-pcie-80gb"}},
		{"rtx-4080-supr", []string{"rtx-4080-super"}},
		// Other hardware.
		{"h400", nil}, {"h300-sxm-80gb", nil}, {"h100-sxm-90gb", nil}, {"rtx-4091", nil}, {"rtx-4090-ti", nil}, {"rtx-4090-super", nil},
		{"t5", nil}, {"l5", nil}, {"b100", nil}, {"v4", nil}, {"a6000-ada", nil}, {"tpu-v5", nil}, {"mi300x", nil}, {"h", nil}, {"", nil}, {"nvidia", nil},
	} {
		if got := NearestName(c.written, models); !slices.Equal(got, c.want) {
			t.Errorf("NearestName(%q) = %q, want %q", c.written, got, c.want)
		}
	}
}
