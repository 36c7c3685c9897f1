package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/load"

	"github.com/gpugen/gpugen/schema"
)

// chartFacts is what docs say of a chart version.
type chartFacts struct {
	Repository string
	Hooks      []struct{ Object, Type, Avoided, Accepted string }
	Sources    []string
	Like       string
}

// gpuFacts is what docs say of a GPU model.
type gpuFacts struct {
	Title, Architecture string
	OpenModules         string
	Driver              struct{ Minimum, LastBranch string }
}

func writeComponentsDoc(t *testing.T, out *page) {
	known, err := schema.Known()
	if err != nil {
		t.Fatal(err)
	}
	var charts map[string]map[string]chartFacts
	decodeFacts(t, "schema/facts/charts", "charts", &charts)
	var models map[string]gpuFacts
	decodeFacts(t, "schema/facts", "gpus", &models)

	out.line("# Components and GPU models")
	out.paragraph("What this release can render. `gpugen components` prints the same lists, `gpugen components SPEC` each component's state for a spec, and why.")
	out.paragraph("## Components\n")
	out.line("| Component | Chart versions, the preferred one first | Repository |")
	out.line("|---|---|---|")
	for _, c := range known.Components {
		if len(c.Versions) == 0 {
			out.line("| `%s` | not supported yet; may be declared `external` | |", c.Name)
			continue
		}
		out.line("| `%s` | %s | %s |", c.Name, strings.Join(c.Versions, ", "), charts[c.Name][c.Versions[0]].Repository)
	}
	for _, c := range known.Components {
		for _, version := range c.Versions {
			facts := charts[c.Name][version]
			if facts.Like != "" {
				t.Errorf("%s %s: facts are still those of %s, unread; see CONTRIBUTING.md, Add a chart version", c.Name, version, facts.Like)
			}
			out.paragraph("### %s %s\n", c.Name, version)
			for _, h := range facts.Hooks {
				fate := "stays: " + h.Accepted
				switch {
				case h.Avoided != "":
					fate = "not rendered, by " + h.Avoided
				case h.Accepted == "":
					t.Errorf("%s %s: what becomes of hook %s?", c.Name, version, h.Object)
				}
				out.line("* Hook %s (%s): %s", h.Object, h.Type, fate)
			}
			for _, source := range facts.Sources {
				out.line("* Source: %s", source)
			}
		}
	}
	out.paragraph("## GPU models\n")
	out.line("The first driver is the oldest release that is known to drive the model; the last branch, where there is one, the newest.\n")
	out.line("| `gpu.model` | GPU | Label `nvidia.com/gpu.product` | Memory | Drivers | Open kernel modules | MIG profiles |")
	out.line("|---|---|---|---|---|---|---|")
	for _, m := range known.Models {
		facts := models[m.Name]
		drivers := "from " + facts.Driver.Minimum
		if facts.Driver.Minimum == "" {
			drivers = "not known"
		}
		if facts.Driver.LastBranch != "" {
			drivers += ", up to branch " + facts.Driver.LastBranch
		}
		profiles := "-"
		if len(m.MIGProfiles) > 0 {
			profiles = "`" + strings.Join(m.MIGProfiles, "` `") + "`"
		}
		out.line("| `%s` | %s, %s | `%s` | %d GB | %s | %s | %s |",
			m.Name, facts.Title, facts.Architecture, m.Product, m.MemoryGiB, drivers, facts.OpenModules, profiles)
	}
}

// decodeFacts reads a field of one of the repository's CUE packages.
func decodeFacts(t *testing.T, dir, field string, into any) {
	t.Helper()
	base, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	inst := load.Instances([]string{"./" + dir}, &load.Config{Dir: base})[0]
	if inst.Err != nil {
		t.Fatal(inst.Err)
	}
	value := cuecontext.New().BuildInstance(inst).LookupPath(cue.ParsePath(field))
	if err := value.Decode(into); err != nil {
		t.Fatal(err)
	}
}
