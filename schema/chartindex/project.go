package chartindex

import (
	"cmp"
	"slices"
	"strings"
)

// GroupKind names a kind; the core group is "", and "*" stands for a group that
// the chart computes.
type GroupKind struct {
	Group string
	Kind  string
}

// Project is what an Argo CD AppProject must allow so that every object that the
// chart can render may be synced.
type Project struct {
	// Cluster and Namespaced are the kinds by scope. Unscoped are those of which
	// the chart does not tell the scope: somebody else's CRDs.
	Cluster    []GroupKind
	Namespaced []GroupKind
	Unscoped   []GroupKind
	// Namespaces are those beside the release's that objects go to by default.
	Namespaces []string
	// NamespacesFrom are the values paths that can send objects to yet another
	// namespace.
	NamespacesFrom []Path
	// Dynamic are the places where values add objects of any kind.
	Dynamic []Dynamic
}

// Project returns what an AppProject must allow for this chart, sorted.
func (x *Index) Project() Project {
	var p Project
	for _, o := range x.Objects {
		gk := GroupKind{Group: groupOf(o.APIVersion), Kind: o.Kind}
		switch o.Scope {
		case ScopeCluster:
			p.Cluster = append(p.Cluster, gk)
		case ScopeNamespaced:
			p.Namespaced = append(p.Namespaced, gk)
		default:
			p.Unscoped = append(p.Unscoped, gk)
		}
		p.Namespaces = append(p.Namespaces, o.Namespaces...)
		p.NamespacesFrom = append(p.NamespacesFrom, o.NamespacesFrom...)
	}
	for _, list := range []*[]GroupKind{&p.Cluster, &p.Namespaced, &p.Unscoped} {
		slices.SortFunc(*list, func(a, b GroupKind) int {
			return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind))
		})
		*list = slices.Compact(*list)
	}
	slices.Sort(p.Namespaces)
	p.Namespaces = slices.Compact(p.Namespaces)
	slices.SortFunc(p.NamespacesFrom, func(a, b Path) int { return slices.Compare(a, b) })
	p.NamespacesFrom = slices.CompactFunc(p.NamespacesFrom, func(a, b Path) bool { return slices.Equal(a, b) })
	p.Dynamic = slices.Clone(x.Dynamic)
	return p
}

// groupOf returns the API group of an apiVersion: "" for v1, "*" for one that is
// not fixed.
func groupOf(apiVersion string) string {
	if apiVersion == "*" {
		return "*"
	}
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}
