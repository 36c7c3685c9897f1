// Package verify owns the checks on a finished tree: what no rule over the spec
// can see, such as names that are too long or collide. It must not change the
// tree.
package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/argocd"
	"github.com/gpugen/gpugen/generators/kustomize"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// maxRelease is the longest name of a release that Helm takes.
const maxRelease = 53

// Check looks at a finished tree; findings point into the spec.
func Check(p *plan.Plan, t *tree.Tree, s *schema.Spec) diag.List {
	var findings diag.List
	findings = append(findings, names(p, s)...)
	findings = append(findings, files(t, s)...)
	findings = append(findings, differences(p, s)...)
	findings = append(findings, values(p, s)...)
	return findings
}

// names checks what becomes a name or a label.
func names(p *plan.Plan, s *schema.Spec) diag.List {
	var findings diag.List
	seen := map[string]string{p.Name: "the root Application"}
	for _, c := range p.Components {
		name := argocd.ApplicationName(p, c)
		// A component that has a release for each pool is named after the pool.
		pool, ofPool := strings.CutPrefix(c.Name, c.Of+"-")
		if len(name) > argocd.MaxName {
			f := at(s, []any{"name"}, longName, "Application name %q has %d characters, %d more than fit", name, len(name), len(name)-argocd.MaxName)
			f.Why = "Where Argo CD tracks objects by a label, the name is its value, which ends at 63 characters."
			switch {
			case ofPool:
				f.Fix = fmt.Sprintf("shorten the name of the cluster, or that of node pool %s", pool)
			case c.Own:
				f.Fix = fmt.Sprintf("shorten the name of the cluster, or that of component %s", c.Name)
			case c.Name != c.Of:
				f.Fix = fmt.Sprintf("shorten the name of the cluster, or that of %s", strings.ToLower(c.Title[:1])+c.Title[1:])
			}
			findings.Add(f)
		}
		if len(c.ReleaseName) > maxRelease {
			f := at(s, []any{"components", c.Of, "releaseName"}, longName, "Helm release name %q has %d characters, more than %d", c.ReleaseName, len(c.ReleaseName), maxRelease)
			f.Why = "Helm refuses it, since charts add to it."
			f.Fix = "shorten it"
			if ofPool {
				f.Fix = fmt.Sprintf("shorten the name of node pool %s, or %s", pool, f.Path)
			}
			findings.Add(f)
		}
		if other, ok := seen[name]; ok {
			findings.Add(at(s, []any{"name"}, sameApplication, "%s and component %s would both be called %q", other, c.Name, name))
		}
		seen[name] = "component " + c.Name
	}
	for _, l := range p.Labels {
		if len(l.Value) > 63 {
			f := at(s, []any{"nodePools", l.Pool}, longName, "the value %q of node label %s has %d characters, more than 63", l.Value, l.Key, len(l.Value))
			f.Fix = "shorten the name of the node pool"
			findings.Add(f)
		}
	}
	return findings
}

// files checks that no two parts of the tree want the same file.
func files(t *tree.Tree, s *schema.Spec) diag.List {
	var findings diag.List
	previous := ""
	for _, f := range t.Files() {
		if strings.EqualFold(f.Path, previous) {
			findings.Add(at(s, []any{"name"}, sameFile, "two parts of the tree want the file %s", f.Path))
		}
		previous = f.Path
	}
	return findings
}

// Objects checks that every object is there once, and has one owner.
func Objects(p *plan.Plan, s *schema.Spec) diag.List {
	var findings diag.List
	type place struct {
		plan.Component
		key string
	}
	owner := map[string]place{}
	for _, c := range p.Components {
		objects := c.Final()
		for _, key := range slices.Sorted(maps.Keys(objects)) {
			o := objects[key]
			metadata, _ := o["metadata"].(map[string]any)
			// Versions of one API serve the same objects.
			apiVersion, _ := o["apiVersion"].(string)
			group := groupOf(apiVersion)
			id := fmt.Sprint(group, " ", o["kind"], " ", metadata["namespace"], "/", metadata["name"])
			other, ok := owner[id]
			owner[id] = place{c, key}
			if !ok {
				continue
			}
			path, fix := []any{"components", c.Of, "namespace"}, sameObject.Fix
			for _, p := range []place{other, owner[id]} {
				if name, ok := plan.UserObject(p.key); ok {
					path, fix = []any{"components", p.Of, "objects", name}, "remove the object, which is there already"
				}
			}
			f := at(s, path, sameObject, "%s %s would belong to both %s and %s", o["kind"], metadata["name"], other.Name, c.Name)
			f.Fix = fix
			findings.Add(f)
		}
	}
	return findings
}

// Patches checks that each of the user's patches does something, and to objects of
// gpugen's alone: what users bring, the rules have seen as it is written. It says
// of each component that has patches which objects each of them changes.
func Patches(p *plan.Plan, s *schema.Spec) (map[string]kustomize.Patched, diag.List) {
	var findings diag.List
	all := map[string]kustomize.Patched{}
	for _, c := range p.Components {
		if len(c.Patches) == 0 {
			continue
		}
		patched, err := kustomize.Patch(c)
		changed := patched.Changed
		all[c.Name] = patched
		for i := range c.Patches {
			f := at(s, []any{"components", c.Of, "patches", i}, unfitPatch, "")
			switch {
			case i == len(changed) && err != nil:
				f.Message = err.Error()
			case i >= len(changed):
				continue
			case len(changed[i]) == 0:
				f.Message = fmt.Sprintf("patch %d of component %s changes nothing", i, c.Of)
			default:
				name := ""
				for _, key := range changed[i] {
					if own, ok := plan.UserObject(key); ok {
						name = own
					}
				}
				if name == "" {
					continue
				}
				f.Message = fmt.Sprintf("patch %d of component %s changes the object %s, which is not gpugen's", i, c.Of, name)
				f.Why = "The rules judge objects as the spec has them."
				f.Fix = "change the object itself, in components." + schema.PathString([]any{c.Of}) + ".objects"
			}
			findings.Add(f)
		}
	}
	return all, findings
}

// at is a finding about a field of the spec.
func at(s *schema.Spec, path []any, kind diag.Kind, format string, args ...any) diag.Finding {
	return kind.At(s.Locate(path), schema.PathString(path), format, args...)
}
