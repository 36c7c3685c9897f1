package knowledge

import (
	"maps"
	"slices"

	"cuelang.org/go/cue"
)

// Inventory is what gpugen knows without a spec.
type Inventory struct {
	Components []KnownComponent `json:"components"`
	Models     []KnownModel     `json:"models"`
	// Site is what of it is the site's word.
	Site []SiteEntry `json:"site,omitempty"`
}

// SiteEntry is one thing that a file of a site says: what it is of, such as gpus, its
// name there, and the file, as a path in the module.
type SiteEntry struct {
	Of   string `json:"of"`
	Name string `json:"name"`
	File string `json:"file"`
}

// KnownComponent is a component with the chart versions that gpugen carries, the
// preferred one first.
type KnownComponent struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
}

// KnownModel is a GPU model.
type KnownModel struct {
	Name        string   `json:"name"`
	Product     string   `json:"product"`
	MemoryGiB   int      `json:"memoryGiB"`
	MIGProfiles []string `json:"migProfiles,omitempty"`
}

// Known lists components and GPU models.
//
// An error is a defect of the knowledge base.
func Known() (*Inventory, error) {
	e, err := New()
	if err != nil {
		return nil, err
	}
	return e.Known()
}

// Known lists components and GPU models, those of the site included.
//
// An error is a defect of the knowledge base.
func (e *Engine) Known() (*Inventory, error) {
	out := &Inventory{}
	if err := e.knownComponents(out); err != nil {
		return nil, err
	}
	return out, e.knownModels(out)
}

func (e *Engine) knownComponents(out *Inventory) error {
	components := e.Spec.LookupPath(cue.ParsePath("components"))
	it, err := components.Fields(cue.Optional(true))
	if err != nil {
		return err
	}
	for it.Next() {
		name := it.Selector().Unquoted()
		c := KnownComponent{Name: name, Versions: []string{}}
		var versions map[string]any
		carried := e.Charts().LookupPath(cue.MakePath(cue.Str("charts"), cue.Str(name)))
		if carried.Exists() {
			if err := carried.Decode(&versions); err != nil {
				return err
			}
			preferred, err := e.PreferredVersion(name)
			if err != nil {
				return err
			}
			c.Versions = slices.SortedFunc(maps.Keys(versions), func(a, b string) int {
				switch {
				case a == b:
					return 0
				case a == preferred || b != preferred && a > b:
					return -1
				default:
					return 1
				}
			})
		}
		out.Components = append(out.Components, c)
	}
	return nil
}

func (e *Engine) knownModels(out *Inventory) error {
	var models map[string]struct {
		Product   string `json:"product"`
		MemoryGiB int    `json:"memoryGiB"`
		MIG       *struct {
			Profiles map[string]any `json:"profiles"`
		} `json:"mig"`
	}
	if err := e.Facts().LookupPath(cue.ParsePath("gpus")).Decode(&models); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		m := KnownModel{Name: name, Product: models[name].Product, MemoryGiB: models[name].MemoryGiB}
		if mig := models[name].MIG; mig != nil {
			m.MIGProfiles = slices.Sorted(maps.Keys(mig.Profiles))
		}
		out.Models = append(out.Models, m)
	}
	return nil
}
