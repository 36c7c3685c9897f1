package facts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/parser"
)

// gpu is #GPU.
type gpu struct {
	Product      string
	Architecture string
	MemoryGiB    int
	PCIIDs       []string `json:"pciIDs"`
	Driver       struct{ Minimum, LastBranch string }
	OpenModules  string
	MIG          *mig `json:"mig"`
	Unconfirmed  []string

	MultiNodeNVLink bool `json:"multiNodeNVLink"`
}

type mig struct {
	Slices       int
	MemorySlices int
	Driver       struct{ Minimum string }
	Profiles     map[string]profile
}

type profile struct{ Slices, Memory, Max int }

func TestEachModelHasAFileOfItsName(t *testing.T) {
	_, v := loadFacts(t)
	models := decode[map[string]gpu](t, v, "gpus")
	files, err := filepath.Glob(filepath.Join(moduleRoot(t), "schema", "facts", "gpu_*.cue"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(models) {
		t.Errorf("%d files for %d models", len(files), len(models))
	}
	for _, name := range files {
		model := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "gpu_"), ".cue"), "_", "-")
		if !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(model) {
			t.Errorf("model name %q", model)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.ParseFile(name, data); err != nil {
			t.Fatal(err)
		}
		if _, ok := models[model]; !ok || !strings.Contains(string(data), `gpus: "`+model+`": {`) && !strings.Contains(string(data), `gpus: `+model+`: {`) {
			t.Errorf("%s does not define model %q", filepath.Base(name), model)
		}
	}
}

func TestProductLabelsFindOneModelEach(t *testing.T) {
	_, v := loadFacts(t)
	models := decode[map[string]gpu](t, v, "gpus")
	byProduct := decode[map[string]string](t, v, "gpuByProduct")
	if len(byProduct) != len(models) {
		t.Errorf("%d product labels for %d models", len(byProduct), len(models))
	}
	for model, g := range models {
		if byProduct[g.Product] != model {
			t.Errorf("label %s of %s finds %s", g.Product, model, byProduct[g.Product])
		}
	}
	if got := byProduct["NVIDIA-H100-80GB-HBM3"]; got != "h100-sxm-80gb" {
		t.Errorf("NVIDIA-H100-80GB-HBM3 finds %q", got)
	}
}

func TestPCIIDsAreSharedOnlyWithAReason(t *testing.T) {
	_, v := loadFacts(t)
	owners := map[string][]string{}
	for model, g := range decode[map[string]gpu](t, v, "gpus") {
		for _, id := range g.PCIIDs {
			owners[id] = append(owners[id], model)
		}
	}
	shared := decode[map[string]struct {
		Models []string
		Reason string
	}](t, v, "sharedPCIIDs")
	for id, models := range owners {
		slices.Sort(models)
		if len(models) > 1 && !slices.Equal(models, shared[id].Models) {
			t.Errorf("%s belongs to %v, sharedPCIIDs says %v", id, models, shared[id].Models)
		}
	}
	for id := range shared {
		if len(owners[id]) < 2 {
			t.Errorf("%s is listed as shared, but belongs to %v", id, owners[id])
		}
	}
}

func TestKernelModulesFollowTheArchitecture(t *testing.T) {
	_, v := loadFacts(t)
	last := map[string]string{"kepler": "470", "maxwell": "580", "pascal": "580", "volta": "580"}
	for model, g := range decode[map[string]gpu](t, v, "gpus") {
		if old := last[g.Architecture] != ""; old != (g.OpenModules == "unsupported") || g.Driver.LastBranch != last[g.Architecture] {
			t.Errorf("%s: %s, open modules %s, last branch %q", model, g.Architecture, g.OpenModules, g.Driver.LastBranch)
		}
		if g.Architecture == "blackwell" && g.OpenModules != "required" {
			t.Errorf("%s: Blackwell with open modules %s", model, g.OpenModules)
		}
	}
}

func TestMultiNodeNVLinkIsForGraceBlackwell(t *testing.T) {
	_, v := loadFacts(t)
	var got []string
	for model, g := range decode[map[string]gpu](t, v, "gpus") {
		if g.MultiNodeNVLink {
			got = append(got, model)
		}
	}
	slices.Sort(got)
	if want := []string{"gb200", "gb300"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUnconfirmedNamesFields(t *testing.T) {
	_, v := loadFacts(t)
	def := v.LookupPath(cue.ParsePath("#GPU"))
	fields, err := def.Fields(cue.Optional(true))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for fields.Next() {
		known[fields.Selector().Unquoted()] = true
	}
	for model, g := range decode[map[string]gpu](t, v, "gpus") {
		for _, u := range g.Unconfirmed {
			if field := regexp.MustCompile(`^\w+`).FindString(u); !known[field] {
				t.Errorf("%s: unconfirmed %q is no field", model, u)
			}
		}
		if g.Driver.Minimum == "" && !slices.Contains(g.Unconfirmed, "driver.minimum") {
			t.Errorf("%s: an unknown driver minimum has to be listed as unconfirmed", model)
		}
	}
}
