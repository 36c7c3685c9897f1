// Package chartindex owns the facts about one version of a Helm chart: which
// values it reads and of what type, which kinds of objects it can render and
// where, and which CRDs it brings. It reads and writes those facts as JSON and
// answers questions about them. It must not read charts or templates (that is
// generators/helm) and knows no rule.
package chartindex

import (
	"cmp"
	"slices"
	"sync"
)

// Index holds the facts of one chart version. Make one with Parse; an Index
// that was put together by hand answers the same questions.
type Index struct {
	Chart     Chart      `json:"chart"`
	Subcharts []Subchart `json:"subcharts"`
	// Values holds every path of the default values and every path that the
	// chart reads, those of sub-charts included.
	Values  []Value  `json:"values"`
	Objects []Object `json:"objects"`
	Hooks   []Hook   `json:"hooks"`
	CRDs    []CRD    `json:"crds"`
	// Dynamic holds what renders objects whose kind the chart does not fix.
	Dynamic []Dynamic `json:"dynamic"`
	// Images are those that the default values name in one of the usual forms. A
	// chart may put others together in its templates.
	Images []Image `json:"images"`

	once sync.Once
	root *entry
}

// Chart names the chart version.
type Chart struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	AppVersion  string `json:"appVersion,omitempty"`
	KubeVersion string `json:"kubeVersion,omitempty"`
	// Sources are the addresses that the chart itself gives for its home and
	// its source code.
	Sources []string `json:"sources,omitempty"`
}

// Subchart is a chart inside the chart, at any depth.
type Subchart struct {
	// Path is where its values lie: its alias or name, below those of the charts
	// it is nested in.
	Path    Path   `json:"path"`
	Name    string `json:"name"`
	Version string `json:"version"`
	// Condition is the list of values paths, separated by commas, of which the
	// first that is set turns the sub-chart on or off. The paths start at the
	// chart that depends on it.
	Condition string `json:"condition,omitempty"`
}

// Type is the JSON type of a value. An integer is also a number.
type Type string

// The types. TypeUnknown stands for a default of null and for a path that is only
// read, where nothing shows what it must be.
const (
	TypeBoolean Type = "boolean"
	TypeInteger Type = "integer"
	TypeNumber  Type = "number"
	TypeString  Type = "string"
	TypeArray   Type = "array"
	TypeObject  Type = "object"
	TypeUnknown Type = "unknown"
)

// Origin says why a path is known.
type Origin string

// The origins, the first that applies.
const (
	// OriginValues: the chart's own values.yaml has it.
	OriginValues Origin = "values"
	// OriginSubchart: only the values.yaml of a sub-chart has it.
	OriginSubchart Origin = "subchart"
	// OriginTemplate: no values.yaml has it, but a template reads it.
	OriginTemplate Origin = "template"
	// OriginCondition: nothing but Helm reads it, to turn a sub-chart on or off.
	OriginCondition Origin = "condition"
)

// Value is what is known about one values path.
type Value struct {
	Path Path `json:"path"`
	// Type is the type of the default or, without one, what templates show.
	Type   Type   `json:"type"`
	Origin Origin `json:"origin"`
	// Accepts holds the types that a value may have where Type does not tell: those
	// that templates test a value without a default for (typeIs, kindIs), ignoring
	// all others in silence, and number and string for a Kubernetes quantity or
	// IntOrString.
	Accepts []Type `json:"accepts,omitempty"`
	// Default is that of a boolean, a number or a short text; nil for others, and for "".
	Default any `json:"default,omitempty"`
	// Open says that a user may put any key here, known ones included.
	Open bool `json:"open,omitempty"`
	// Elements is the type of an array's elements, if the default shows one.
	Elements Type `json:"elements,omitempty"`
	// NonEmpty says that an array has a default with elements, which a user's
	// array replaces.
	NonEmpty bool `json:"nonEmpty,omitempty"`
	// Ranged says that a template goes through the elements one by one.
	Ranged bool `json:"ranged,omitempty"`
	// Required says that the chart asks for it and has no default: a template calls
	// required, or values.schema.json lists it.
	Required bool `json:"required,omitempty"`
	// Unread says that values.yaml has the path, but that no template was seen to
	// read it: setting it has no effect.
	Unread bool `json:"unread,omitempty"`
}

// Scope says whether objects of a kind live in a namespace.
type Scope string

// The scopes. ScopeUnknown is for kinds that neither Kubernetes nor the chart
// defines.
const (
	ScopeCluster    Scope = "Cluster"
	ScopeNamespaced Scope = "Namespaced"
	ScopeUnknown    Scope = "unknown"
)

// Object is a kind that the chart can render, whatever the values.
type Object struct {
	// APIVersion is "*" where the chart computes it from something that is not
	// fixed.
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Scope      Scope  `json:"scope"`
	// Namespaces are the namespaces, other than the release's, that such an
	// object is written into by default.
	Namespaces []string `json:"namespaces,omitempty"`
	// NamespacesFrom are the values paths that can move such an object to
	// another namespace.
	NamespacesFrom []Path `json:"namespacesFrom,omitempty"`
}

// Hook is an object with the annotation helm.sh/hook.
type Hook struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Name has a * for what depends on the release or on values.
	Name string `json:"name"`
	// Events are pre-install, post-delete and so on.
	Events []string `json:"events"`
	// Weight is empty where the chart sets none.
	Weight string `json:"weight,omitempty"`
	// DeletePolicies are before-hook-creation and so on.
	DeletePolicies []string `json:"deletePolicies,omitempty"`
}

// CRDSource says how a chart brings a CRD: Argo CD's skipCrds and Helm's upgrade
// treat the two differently.
type CRDSource string

// The sources of a CRD.
const (
	FromCRDs      CRDSource = "crds"
	FromTemplates CRDSource = "templates"
)

// CRD is a custom resource definition of the chart.
type CRD struct {
	Name   string `json:"name"`
	Group  string `json:"group"`
	Kind   string `json:"kind"`
	Plural string `json:"plural"`
	Scope  Scope  `json:"scope"`
	// Versions are the served ones.
	Versions []string  `json:"versions"`
	Source   CRDSource `json:"source"`
	// Bytes is the size as compact JSON, what a client-side apply would have to
	// fit into an annotation of at most 262,144 bytes. It is an estimate for a
	// CRD that a template renders, and 0 where it could not be estimated.
	Bytes int `json:"bytes,omitempty"`
}

// Dynamic is a place in a template that renders objects of kinds which only the
// values decide.
type Dynamic struct {
	Template string `json:"template"`
	// Path is the value that is rendered as objects; empty if none could be told.
	Path Path `json:"path,omitempty"`
}

// Image is a container image of the default values.
type Image struct {
	// Path is the map that its parts stand in, or the value that is all of it.
	Path Path `json:"path"`
	// Image is the image's name with registry and tag, as far as the values say them.
	Image string `json:"image"`
}

// sort brings every list into the order of the JSON form.
func (x *Index) sort() {
	slices.SortFunc(x.Subcharts, func(a, b Subchart) int { return slices.Compare(a.Path, b.Path) })
	slices.SortFunc(x.Values, func(a, b Value) int { return slices.Compare(a.Path, b.Path) })
	slices.SortFunc(x.Objects, func(a, b Object) int {
		return cmp.Or(cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Kind, b.Kind))
	})
	slices.SortFunc(x.Hooks, func(a, b Hook) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name),
			slices.Compare(a.Events, b.Events), cmp.Compare(a.APIVersion, b.APIVersion))
	})
	slices.SortFunc(x.CRDs, func(a, b CRD) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Source, b.Source))
	})
	slices.SortFunc(x.Dynamic, func(a, b Dynamic) int {
		return cmp.Or(cmp.Compare(a.Template, b.Template), slices.Compare(a.Path, b.Path))
	})
	slices.SortFunc(x.Images, func(a, b Image) int { return slices.Compare(a.Path, b.Path) })
}
