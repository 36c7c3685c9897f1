package chartindex

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Comparison is what is different in one version of a chart from another.
type Comparison struct {
	// Was and Is name the versions.
	Was Chart `json:"was"`
	Is  Chart `json:"is"`
	// Gone are values that the chart does not know any more, and Added those that it
	// did not know; of a map that came or went as a whole, the map only.
	Gone  []ValueChange `json:"gone"`
	Added []ValueChange `json:"added"`
	// Changed are values of another type, or that nothing reads any more.
	Changed []ValueChange `json:"changed"`
	// Defaults are values with another default.
	Defaults []DefaultChange `json:"defaults"`
	// Required are values that must be set now.
	Required []Path `json:"required"`
	// HooksAdded and HooksGone are hooks.
	HooksAdded []Hook `json:"hooksAdded"`
	HooksGone  []Hook `json:"hooksGone"`
	// CRDs that came, went, or are served in other versions.
	CRDs []CRDChange `json:"crds"`
	// Objects are kinds that came or went.
	ObjectsAdded []Object `json:"objectsAdded"`
	ObjectsGone  []Object `json:"objectsGone"`
	// Images and Subcharts that came, went, or are of another version.
	Images    []Change `json:"images"`
	Subcharts []Change `json:"subcharts"`
}

// ValueChange is a value that came, went, or is of another type.
type ValueChange struct {
	Path Path `json:"path"`
	// Was and Is say what the chart takes; empty where there is no such value.
	Was string `json:"was,omitempty"`
	Is  string `json:"is,omitempty"`
}

// DefaultChange is a value with another default; nil for none that the index keeps.
type DefaultChange struct {
	Path Path `json:"path"`
	Was  any  `json:"was"`
	Is   any  `json:"is"`
}

// CRDChange is a CRD that came, went, or is served in other versions.
type CRDChange struct {
	Name string   `json:"name"`
	Was  []string `json:"was,omitempty"`
	Is   []string `json:"is,omitempty"`
}

// Change is a thing at a values path that came, went, or is another; empty where it
// is not there.
type Change struct {
	Path Path   `json:"path"`
	Was  string `json:"was,omitempty"`
	Is   string `json:"is,omitempty"`
}

// Compare says what is different in x from an earlier index.
func (x *Index) Compare(before *Index) *Comparison {
	c := &Comparison{
		Was: before.Chart, Is: x.Chart,
		Gone: []ValueChange{}, Added: []ValueChange{}, Changed: []ValueChange{}, Required: []Path{},
		Defaults: []DefaultChange{},
		CRDs:     []CRDChange{},
	}
	c.values(before.tree(), x.tree())
	c.HooksGone, c.HooksAdded = changed(before.Hooks, x.Hooks, func(h Hook) string {
		return strings.Join(append([]string{h.Kind, h.Name}, h.Events...), " ")
	})
	c.ObjectsGone, c.ObjectsAdded = changed(before.Objects, x.Objects, func(o Object) string { return o.APIVersion + " " + o.Kind })
	c.crds(before.CRDs, x.CRDs)
	c.Images = changes(before.Images, x.Images, func(i Image) (Path, string) { return i.Path, i.Image })
	c.Subcharts = changes(before.Subcharts, x.Subcharts, func(s Subchart) (Path, string) { return s.Path, s.Name + " " + s.Version })
	return c
}

// values compares what lies below two entries.
func (c *Comparison) values(was, is *entry) {
	for _, key := range was.keys {
		a, b := was.children[key], is.children[key]
		switch {
		case b == nil && is.takesAnyKey():
			// A default went, but users may go on writing it.
		case b == nil:
			c.Gone = append(c.Gone, ValueChange{Path: a.value.Path, Was: a.value.takes()})
		default:
			if a.value.takes() != b.value.takes() && !b.value.takesAll(a.value) {
				c.Changed = append(c.Changed, ValueChange{a.value.Path, a.value.takes(), b.value.takes()})
			}
			if a.value.Default != b.value.Default {
				c.Defaults = append(c.Defaults, DefaultChange{a.value.Path, a.value.Default, b.value.Default})
			}
			if b.value.Required && !a.value.Required {
				c.Required = append(c.Required, b.value.Path)
			}
			c.values(a, b)
		}
	}
	for _, key := range is.keys {
		if was.children[key] != nil {
			continue
		}
		b := is.children[key]
		if !was.takesAnyKey() {
			c.Added = append(c.Added, ValueChange{Path: b.value.Path, Is: b.value.takes()})
		}
		b.walk(func(*entry) bool { return true }, func(p Path, v *Value) bool {
			if v.Required {
				c.Required = append(c.Required, p)
			}
			return true
		})
		if b.value.Required {
			c.Required = append(c.Required, b.value.Path)
		}
	}
}

// takes says in words what the chart does with a value.
func (v *Value) takes() string {
	if v.Unread {
		return "read by no template"
	}
	types := v.Accepts
	if len(types) == 0 {
		types = []Type{v.Type}
	}
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = string(t)
		if t == TypeUnknown {
			words[i] = "of any type"
		}
	}
	return strings.Join(words, " or ")
}

// takesAll tells whether all that another value took is taken here as well.
func (v *Value) takesAll(other *Value) bool {
	if v.Unread {
		return false
	}
	if other.Unread {
		return true
	}
	mine, theirs := v.Accepts, other.Accepts
	if len(mine) == 0 {
		mine = []Type{v.Type}
	}
	if len(theirs) == 0 {
		theirs = []Type{other.Type}
	}
	if slices.Contains(mine, TypeUnknown) {
		return true
	}
	return !slices.ContainsFunc(theirs, func(t Type) bool { return t == TypeUnknown || !admits(mine, t) })
}

func (c *Comparison) crds(was, is []CRD) {
	versions := func(list []CRD) map[string][]string {
		out := map[string][]string{}
		for _, crd := range list {
			out[crd.Name] = slices.Sorted(slices.Values(crd.Versions))
		}
		return out
	}
	a, b := versions(was), versions(is)
	for name, before := range a {
		if now, ok := b[name]; !ok || !slices.Equal(before, now) {
			c.CRDs = append(c.CRDs, CRDChange{name, before, now})
		}
	}
	for name, now := range b {
		if _, ok := a[name]; !ok {
			c.CRDs = append(c.CRDs, CRDChange{Name: name, Is: now})
		}
	}
	slices.SortFunc(c.CRDs, func(a, b CRDChange) int { return cmp.Compare(a.Name, b.Name) })
}

// changed returns the items of which the other list has none with the same name.
func changed[T any](was, is []T, name func(T) string) (gone, added []T) {
	gone, added = []T{}, []T{}
	has := func(list []T, item T) bool {
		return slices.ContainsFunc(list, func(other T) bool { return name(other) == name(item) })
	}
	for _, item := range was {
		if !has(is, item) {
			gone = append(gone, item)
		}
	}
	for _, item := range is {
		if !has(was, item) {
			added = append(added, item)
		}
	}
	return gone, added
}

// changes compares lists of what stands at paths, which are sorted by them.
func changes[T any](was, is []T, of func(T) (Path, string)) []Change {
	out := []Change{}
	find := func(list []T, p Path) string {
		for _, item := range list {
			if at, text := of(item); slices.Equal(at, p) {
				return text
			}
		}
		return ""
	}
	for _, item := range was {
		at, before := of(item)
		if now := find(is, at); now != before {
			out = append(out, Change{at, before, now})
		}
	}
	for _, item := range is {
		if at, now := of(item); find(was, at) == "" {
			out = append(out, Change{Path: at, Is: now})
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return slices.Compare(a.Path, b.Path) })
	return out
}

// Below tells whether a values path is at or below another.
func (p Path) Below(above Path) bool {
	return len(p) >= len(above) && slices.Equal(p[:len(above)], above)
}

// HasHook tells whether the chart still has a hook, named as KIND/NAME.
func (x *Index) HasHook(object, event string) bool {
	kind, name, _ := strings.Cut(object, "/")
	return slices.ContainsFunc(x.Hooks, func(h Hook) bool {
		matches, err := path.Match(strings.ReplaceAll(h.Name, "[", `\[`), name)
		return h.Kind == kind && err == nil && matches && slices.Contains(h.Events, event)
	})
}
