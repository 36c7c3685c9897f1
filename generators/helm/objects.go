package helm

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// facts collects what the documents of a chart say about its objects.
type facts struct {
	scopes  map[groupKind]chartindex.Scope
	objects map[[2]string]*chartindex.Object
	hooks   map[string]chartindex.Hook
	dynamic map[string]chartindex.Dynamic
}

// addObjects fills the objects, hooks and dynamic templates of an index. The
// CRDs must be known.
func addObjects(x *chartindex.Index, documents []*document) {
	f := &facts{
		scopes: maps.Clone(builtinScopes), objects: map[[2]string]*chartindex.Object{},
		hooks: map[string]chartindex.Hook{}, dynamic: map[string]chartindex.Dynamic{},
	}
	for _, crd := range x.CRDs {
		f.scopes[groupKind{crd.Group, crd.Kind}] = crd.Scope
		f.object("apiextensions.k8s.io/v1", crdKind)
	}
	for _, d := range documents {
		f.add(d)
	}
	for _, o := range f.objects {
		slices.Sort(o.Namespaces)
		slices.SortFunc(o.NamespacesFrom, func(a, b chartindex.Path) int { return slices.Compare(a, b) })
		x.Objects = append(x.Objects, *o)
	}
	x.Hooks = slices.Collect(maps.Values(f.hooks))
	x.Dynamic = slices.Collect(maps.Values(f.dynamic))
}

func (f *facts) object(apiVersion, kind string) *chartindex.Object {
	key := [2]string{apiVersion, kind}
	if f.objects[key] == nil {
		scope, known := f.scopes[groupKind{groupOf(apiVersion), kind}]
		if !known {
			scope = chartindex.ScopeUnknown
		}
		f.objects[key] = &chartindex.Object{APIVersion: apiVersion, Kind: kind, Scope: scope}
	}
	return f.objects[key]
}

func (f *facts) add(d *document) {
	kinds, apiVersions := d.header()
	if len(kinds) == 0 && len(apiVersions) == 0 && len(d.contents) == 0 {
		return
	}
	if len(kinds) == 0 || slices.Contains(kinds, computed) {
		f.addDynamic(d)
	}
	if len(apiVersions) == 0 {
		apiVersions = []string{computed}
	}
	for _, kind := range kinds {
		if kind == computed {
			continue
		}
		for _, apiVersion := range apiVersions {
			o := f.object(apiVersion, kind)
			if o.Scope != chartindex.ScopeCluster {
				o.Namespaces = appendNew(o.Namespaces, d.namespaces...)
				for _, n := range d.namespacesFrom {
					o.NamespacesFrom = appendPath(o.NamespacesFrom, n.path())
				}
			}
			f.addHooks(d, apiVersion, kind)
		}
	}
}

// header returns the kinds and apiVersions of a document or, where it has none,
// of the one before it.
func (d *document) header() (kinds, apiVersions []string) {
	kinds, apiVersions = d.kinds, d.apiVersions
	if d.before == nil || len(kinds) == 0 && len(apiVersions) == 0 && len(d.contents) > 0 {
		return kinds, apiVersions
	}
	kindsBefore, apiVersionsBefore := d.before.header()
	if len(kinds) == 0 {
		kinds = kindsBefore
	}
	if len(apiVersions) == 0 {
		apiVersions = apiVersionsBefore
	}
	return kinds, apiVersions
}

func (f *facts) addDynamic(d *document) {
	places := []chartindex.Dynamic{{Template: d.template}}
	if len(d.contents) > 0 {
		places = nil
	}
	for _, n := range d.contents {
		places = append(places, chartindex.Dynamic{Template: d.template, Path: n.path()})
	}
	for _, place := range places {
		f.dynamic[place.Template+place.Path.Pointer()] = place
	}
}

func (f *facts) addHooks(d *document, apiVersion, kind string) {
	if len(d.hooks) == 0 {
		return
	}
	names := general(d.names)
	if len(names) == 0 {
		names = []string{computed}
	}
	for _, name := range names {
		hook := chartindex.Hook{
			APIVersion: apiVersion, Kind: kind, Name: name,
			Events: slices.Sorted(slices.Values(d.hooks)), DeletePolicies: slices.Sorted(slices.Values(d.deletePolicies)),
		}
		switch len(d.weights) {
		case 0:
		case 1:
			hook.Weight = d.weights[0]
		default:
			hook.Weight = computed
		}
		f.hooks[strings.Join(append([]string{apiVersion, kind, name}, hook.Events...), "\n")] = hook
	}
}

// general returns the patterns without those that another one covers.
func general(patterns []string) []string {
	var out []string
	for i, p := range patterns {
		covered := slices.ContainsFunc(patterns, func(other string) bool {
			ok, err := path.Match(strings.ReplaceAll(other, "[", `\[`), p)
			return other != p && ok && err == nil
		})
		if !covered && !slices.Contains(patterns[:i], p) {
			out = append(out, p)
		}
	}
	return out
}

func appendPath(list []chartindex.Path, p chartindex.Path) []chartindex.Path {
	if slices.ContainsFunc(list, func(q chartindex.Path) bool { return slices.Equal(p, q) }) {
		return list
	}
	return append(list, p)
}

// groupOf returns the group of an apiVersion: "" for v1.
func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}
