package schema

import (
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/check"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/override"
	"github.com/gpugen/gpugen/schema/shape"
	"github.com/gpugen/gpugen/schema/site"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/typo"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// What gpugen knows without a spec.
type (
	// Rule is one kind of finding, for people who look it up.
	Rule = knowledge.Rule
	// Inventory is what gpugen knows without a spec.
	Inventory = knowledge.Inventory
	// Source is one file of the embedded knowledge base.
	Source = knowledge.Source
)

// Kinds are the kinds of findings that Go makes about a spec.
func Kinds() []diag.Kind {
	return slices.Concat(source.Kinds, watchdog.Kinds, shape.Kinds, override.Kinds, check.Kinds, knowledge.Kinds, site.Kinds)
}

// Catalogue lists the rules and all other kinds of findings about a spec, sorted by
// ID.
//
// An error is a defect of the knowledge base.
func Catalogue() ([]Rule, error) {
	out, err := knowledge.Catalogue()
	if err != nil {
		return nil, err
	}
	return withKinds(out), nil
}

// withKinds are rules with all that Go finds, sorted by ID.
func withKinds(out []Rule) []Rule {
	for _, k := range Kinds() {
		out = append(out, Rule{ID: k.ID, Title: k.Title, Severity: k.Severity, Why: k.Why, Fix: k.Fix})
	}
	slices.SortFunc(out, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Retired maps IDs of findings that are no more to those that say the same today.
//
// An error is a defect of the knowledge base.
func Retired() (map[string]string, error) { return knowledge.Retired() }

// Known lists components and GPU models.
//
// An error is a defect of the knowledge base.
func Known() (*Inventory, error) { return knowledge.Known() }

// Sources returns the CUE files of the knowledge base, sorted by path.
func Sources() []Source { return knowledge.Sources() }

// ChartIndex reads the index of a chart version that gpugen carries.
//
// An error means that there is none, or that the embedded file is damaged.
func ChartIndex(name, version string) (*chartindex.Index, error) {
	return knowledge.ChartIndex(name, version)
}

// Nearest returns the names that a person most likely meant, best first; none if
// nothing is near.
func Nearest(name string, candidates []string) []string { return typo.Nearest(name, candidates) }

// Defect is the finding about an error that no spec should be able to cause.
func Defect(format string, args ...any) diag.Finding { return knowledge.Defect(format, args...) }

// What is made of things that people have already; see package schema/imported.
type (
	ToImport = knowledge.ToImport
	// Release is a release of Helm.
	Release  = knowledge.Release
	Imported = knowledge.Imported
)

// Import says what a spec says of things that people have already.
//
// An error means that one of them is not of its usual form.
func Import(in ToImport) (*Imported, error) { return knowledge.Import(in) }

// KnownAt lists components and GPU models, those of the site included that an input
// belongs to, whether there is a spec or not. Findings are about the site's files.
//
// An error is a defect of the knowledge base.
func KnownAt(in Input) (*Inventory, diag.List, error) {
	theirs, e, found := engine(in)
	if e == nil {
		return nil, found, nil
	}
	known, err := e.Known()
	if err == nil && theirs != nil {
		known.Site = theirs.Entries
	}
	return known, nil, err
}

// CatalogueAt is Catalogue, with the rules of the site that an input belongs to.
// Findings are about the site's files.
//
// An error is a defect of the knowledge base.
func CatalogueAt(in Input) ([]Rule, diag.List, error) {
	theirs, found := site.Read(in, limitsOf(in))
	if found.HasErrors() {
		return nil, found, nil
	}
	if theirs == nil {
		rules, err := Catalogue()
		return rules, nil, err
	}
	rules, err := knowledge.CatalogueWith(theirs.More)
	return withKinds(rules), nil, err
}
