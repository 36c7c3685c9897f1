package facts_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/schema/upstreamtest"
)

func TestMIGProfilesFitTheirGPU(t *testing.T) {
	_, v := loadFacts(t)
	name := regexp.MustCompile(`^(\d)g\.(\d+)gb`)
	for model, g := range decode[map[string]gpu](t, v, "gpus") {
		if g.MIG == nil {
			continue
		}
		whole := false
		for text, p := range g.MIG.Profiles {
			at := fmt.Sprintf("%s, %s", model, text)
			m := name.FindStringSubmatch(text)
			slices, _ := strconv.Atoi(m[1])
			size, _ := strconv.Atoi(m[2])
			if p.Slices != slices {
				t.Errorf("%s takes %d slices", at, p.Slices)
			}
			if p.Max*p.Slices > g.MIG.Slices || p.Max*p.Memory > g.MIG.MemorySlices {
				t.Errorf("%s: %d do not fit", at, p.Max)
			}
			// Sizes are rounded, so a share of the memory is within 1 GB of them.
			if share := float64(g.MemoryGiB*p.Memory) / float64(g.MIG.MemorySlices); share < float64(size)-1 || share > float64(size)+1 {
				t.Errorf("%s has %.1f GB", at, share)
			}
			if p.Slices == g.MIG.Slices {
				whole = true
				if size != g.MemoryGiB || p.Max != 1 || p.Memory != g.MIG.MemorySlices {
					t.Errorf("%s spans a GPU of %d GB", at, g.MemoryGiB)
				}
			}
			if strings.Contains(text, "+me") && p.Max != 1 {
				t.Errorf("%s: only one instance can have the media engines", at)
			}
		}
		if !whole {
			t.Errorf("%s: no profile spans the GPU", model)
		}
	}
}

func TestMIGHoldsKnownFieldsOnly(t *testing.T) {
	_, v := loadFacts(t)
	for model, g := range decode[map[string]map[string]any](t, v, "gpus") {
		mig, ok := g["mig"].(map[string]any)
		if !ok {
			continue
		}
		if got := slices.Sorted(maps.Keys(mig)); !slices.Equal(got, []string{"driver", "memorySlices", "profiles", "slices"}) {
			t.Errorf("%s: mig has %v", model, got)
		}
	}
}

func TestMIGNeedsNoOlderDriverThanTheGPU(t *testing.T) {
	_, v := loadFacts(t)
	for model, g := range decode[map[string]gpu](t, v, "gpus") {
		if g.MIG == nil {
			continue
		}
		if older(t, v, g.MIG.Driver.Minimum, g.Driver.Minimum) {
			t.Errorf("%s: MIG from %s, the GPU from %s", model, g.MIG.Driver.Minimum, g.Driver.Minimum)
		}
	}
}

// migConfig is one entry of mig-parted's configuration.
type migConfig struct {
	// Filter is absent, a string or a list.
	Filter  any            `json:"device-filter"`
	Devices map[string]int `json:"mig-devices"`
}

// pciIDs returns the device ids of NVIDIA's that the entry is for, in our spelling.
func (c migConfig) pciIDs() []string {
	return regexp.MustCompile(`[0-9a-f]{4}`).FindAllString(
		strings.NewReplacer("0x", "", "10de", "").Replace(strings.ToLower(fmt.Sprint(c.Filter))), -1)
}

func upstreamMIGConfigs(t *testing.T) map[string][]migConfig {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(upstreamtest.Dir(t, "mig-parted", "v0.15.0", "data"), "config-default.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Configs map[string][]migConfig `json:"mig-configs"`
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Configs
}

func TestMIGMaximaAgreeWithUpstream(t *testing.T) {
	configs := upstreamMIGConfigs(t)
	_, v := loadFacts(t)
	models := decode[map[string]gpu](t, v, "gpus")

	// known are the GPUs that upstream's configuration is written for.
	known := map[string]bool{}
	for _, entries := range configs {
		for _, c := range entries {
			for _, id := range c.pciIDs() {
				known[id] = true
			}
		}
	}
	compared := 0
	for model, g := range models {
		if g.MIG == nil || !slices.ContainsFunc(g.PCIIDs, func(id string) bool { return known[id] }) {
			continue
		}
		seen := map[string]bool{}
		for key, entries := range configs {
			if !strings.HasPrefix(key, "all-") || key == "all-balanced" {
				continue
			}
			for _, c := range entries {
				filtered := c.Filter != nil
				if filtered && !slices.ContainsFunc(g.PCIIDs, func(id string) bool { return slices.Contains(c.pciIDs(), id) }) {
					continue
				}
				for text, count := range c.Devices {
					p, ok := g.MIG.Profiles[text]
					switch {
					case ok && p.Max != count:
						t.Errorf("%s: at most %d of %s, upstream's %s has %d", model, p.Max, text, key, count)
					case !ok && filtered:
						t.Errorf("%s has no %s, upstream's %s is for it", model, text, key)
					case ok:
						seen[text] = true
					}
				}
			}
		}
		for text := range g.MIG.Profiles {
			// Upstream's static 1g.35gb is filtered for the H200's SXM form only.
			if !seen[text] && !(model == "h200-nvl-141gb" && text == "1g.35gb") {
				t.Errorf("%s: upstream has no configuration with %s", model, text)
			}
		}
		compared++
	}
	if compared < 15 {
		t.Errorf("only %d models were compared", compared)
	}
}

func TestUpstreamsBalancedLayoutsFit(t *testing.T) {
	configs := upstreamMIGConfigs(t)
	_, v := loadFacts(t)
	models := decode[map[string]gpu](t, v, "gpus")
	for _, c := range configs["all-balanced"] {
		for model, g := range models {
			if !slices.ContainsFunc(g.PCIIDs, func(id string) bool { return slices.Contains(c.pciIDs(), id) }) {
				continue
			}
			compute, memory := 0, 0
			for text, count := range c.Devices {
				p, ok := g.MIG.Profiles[text]
				if !ok {
					t.Errorf("%s has no %s", model, text)
				}
				compute += count * p.Slices
				memory += count * p.Memory
			}
			if compute > g.MIG.Slices || memory > g.MIG.MemorySlices {
				t.Errorf("%s: upstream's layout %v takes %d and %d slices", model, c.Devices, compute, memory)
			}
		}
	}
}
