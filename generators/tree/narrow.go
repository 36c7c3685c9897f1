package tree

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// Project is what the tree's AppProject allows, and why.
type Project struct {
	Name string `json:"name"`
	// Cascades says that an Application that goes takes what it made along.
	Cascades bool `json:"cascades"`
	// Needs are those of each component.
	Needs map[string]Needs `json:"needs"`
	// Also is what the spec allows besides.
	Also Needs `json:"also"`
}

// Needs are namespaces and kinds; "*" is all kinds.
type Needs struct {
	Namespaces []string `json:"namespaces,omitempty"`
	Kinds      []string `json:"kinds,omitempty"`
}

// narrowed returns a finding if Argo CD would have to prune, or to delete with its
// Application, what the new AppProject does not allow any more: it leaves such
// objects alone, in silence.
func (p place) narrowed(old Inventory, m Meta, allowed []string) diag.List {
	if old.Project == nil || m.Project == nil || slices.Contains(allowed, m.Project.Name) {
		return nil
	}
	now := m.Project.all()
	var lost Needs
	for name, needs := range old.Project.Needs {
		if _, stays := m.Project.Needs[name]; !stays && !old.Project.Cascades {
			continue
		}
		for _, n := range needs.Namespaces {
			if !slices.Contains(now.Namespaces, n) && !old.goesWhole(n, now) {
				lost.Namespaces = append(lost.Namespaces, n)
			}
		}
		for _, k := range needs.Kinds {
			if !now.allows(k) {
				lost.Kinds = append(lost.Kinds, k)
			}
		}
	}
	lost = lost.sorted()
	if len(lost.Namespaces)+len(lost.Kinds) == 0 {
		return nil
	}
	f := p.finding(kindNarrow, inventoryPath, "AppProject %s would no longer allow %s", m.Project.Name, lost)
	f.Fix = fmt.Sprintf("allow it until it is gone, with gitops.argocd.project.alsoAllow: %s in the spec; or leave it in the cluster, with --allow-prune %s", lost.literal(), m.Project.Name)
	return diag.List{f}
}

// goesWhole says that the tree brought the Namespace, so that Kubernetes deletes
// with it what Argo CD leaves in it.
func (inv Inventory) goesWhole(namespace string, now Needs) bool {
	return now.allows("Namespace") && slices.ContainsFunc(inv.Guarded, func(g Guarded) bool { return g.Kind == "Namespace" && g.Name == namespace })
}

// all is what the project allows.
func (p *Project) all() Needs {
	if p == nil {
		return Needs{}
	}
	all := Needs{Namespaces: slices.Clone(p.Also.Namespaces), Kinds: slices.Clone(p.Also.Kinds)}
	for _, n := range p.Needs {
		all.Namespaces = append(all.Namespaces, n.Namespaces...)
		all.Kinds = append(all.Kinds, n.Kinds...)
	}
	return all.sorted()
}

func (n Needs) allows(kind string) bool {
	return slices.Contains(n.Kinds, kind) || slices.Contains(n.Kinds, "*")
}

// joined is both, in order.
func (n Needs) joined(other Needs) Needs {
	return Needs{Namespaces: slices.Concat(n.Namespaces, other.Namespaces), Kinds: slices.Concat(n.Kinds, other.Kinds)}.sorted()
}

func (n Needs) sorted() Needs {
	set := func(of []string) []string {
		seen := map[string]bool{}
		for _, one := range of {
			seen[one] = true
		}
		return slices.Sorted(maps.Keys(seen))
	}
	return Needs{Namespaces: set(n.Namespaces), Kinds: set(n.Kinds)}
}

func (n Needs) String() string {
	var parts []string
	for noun, of := range map[string][]string{"namespace": n.Namespaces, "kind": n.Kinds} {
		switch len(of) {
		case 0:
		case 1:
			parts = append(parts, noun+" "+of[0])
		default:
			parts = append(parts, noun+"s "+strings.Join(of, ", "))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, " and ")
}

// literal is how a spec says it, in CUE and in YAML.
func (n Needs) literal() string {
	var parts []string
	for _, field := range []struct {
		name string
		of   []string
	}{{"namespaces", n.Namespaces}, {"kinds", n.Kinds}} {
		if len(field.of) > 0 {
			list, _ := json.Marshal(field.of)
			parts = append(parts, field.name+": "+strings.ReplaceAll(string(list), `","`, `", "`))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
