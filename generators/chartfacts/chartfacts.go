// Package chartfacts makes the facts of a chart version out of the chart itself and
// what is known of another version, and says what is different. It must not know any
// component by name, nor write files.
package chartfacts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/gpugen/gpugen/generators/helm"
	"github.com/gpugen/gpugen/schema/chartindex"
)

// Facts are those of a chart version, and what is different in it.
type Facts struct {
	// Component that the chart is of, and Version, as its repository spells it.
	Component string `json:"component"`
	Version   string `json:"version"`
	// Like is the carried version from which facts were taken over. What is different
	// is said of it, unless another chart was given.
	Like string `json:"like"`
	// Patch says that the two have the same minor version.
	Patch bool `json:"patch"`
	// Set are those of Gone and Changed that gpugen's templates set, as far as examples
	// show and reasons name them.
	Set []chartindex.ValueChange `json:"set"`
	// Taken are facts that come from this chart, and Unread those that were taken
	// over, which nobody has looked at.
	Taken  []Taken  `json:"taken"`
	Unread []string `json:"unread"`
	// Read names what to read first, from which facts follow that no chart holds.
	Read []string `json:"read"`
	// Fields are those of CRDs that are different, if another chart was given: what is
	// carried of a version has no fields. Sizes are CRDs of another size than the carried
	// version's, whose fields may be different.
	Fields []helm.FieldChanges `json:"fields"`
	Sizes  []string            `json:"sizes"`
	// Comparison is what else is different.
	*chartindex.Comparison

	// Index and CUE are the files.
	Index []byte `json:"-"`
	CUE   []byte `json:"-"`
}

// Taken is a fact that is the default of a value of the chart.
type Taken struct {
	Fact string `json:"fact"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// File is the name of both files, without what tells them apart.
func (f *Facts) File() string { return f.Is.Name + "-" + f.Is.Version }

// Make makes the facts of the chart on disk. They are like those of another version
// that gpugen or the site carries; without one, the nearest: the newest that is no newer, of the
// same minor version if there is one, else the oldest.
//
// What is different is said of that version too, or of another chart on disk, which
// gpugen need not carry.
//
// An error says why the chart has no facts: it is none, none of a component that
// gpugen knows, or there is no such other version; or that the context ended first.
func Make(ctx context.Context, chart *helm.Chart, like string, other *helm.Chart, site Site) (*Facts, error) {
	name, version := chart.Index.Chart.Name, chart.Index.Chart.Version
	carried, err := carriedVersions(site)
	if err != nil {
		return nil, err
	}
	component, versions := carried.of(name)
	if component == "" {
		return nil, fmt.Errorf("gpugen has no component with the chart %s; it has those with %s. A chart of your own is a component of your own in the spec: "+
			"components: %q: chart: {repository: \"https://...\", name: %q, version: %q}", name, strings.Join(carried.names(), ", "), name, name, version)
	}
	if _, err := semver.NewVersion(version); err != nil {
		return nil, fmt.Errorf("%q is no version: %w", version, err)
	}
	others := slices.DeleteFunc(slices.Clone(versions), func(v string) bool { return v == version })
	switch {
	case like == "" && len(others) == 0:
		return nil, fmt.Errorf("gpugen carries %s %s, and no other version that it could be like", name, version)
	case like == "":
		like = nearest(others, version)
	case like == version:
		return nil, fmt.Errorf("%s %s is the chart's own version; it is like another one: %s", name, version, strings.Join(others, ", "))
	case !slices.Contains(others, like):
		return nil, fmt.Errorf("gpugen carries no %s %s; it carries %s", name, like, strings.Join(others, ", "))
	}
	known, file, err := carried.facts(component, like)
	if err != nil {
		return nil, err
	}
	before, ofSite, err := carried.index(known, like)
	if err != nil {
		return nil, err
	}
	// Facts are taken over from the version that it is like, whatever the other is.
	added := chart.Index.Compare(before).HooksAdded
	if other != nil {
		before = other.Index
	}
	out := &Facts{
		Component: component, Version: version, Like: like, Patch: sameMinor(version, like),
		Comparison: chart.Index.Compare(before), Index: chart.Index.JSON(), Read: []string{},
	}
	out.Fields, out.Sizes = []helm.FieldChanges{}, []string{}
	if other != nil {
		out.Fields = chart.CompareFields(other)
	} else {
		out.Sizes = otherSizes(before.CRDs, chart.Index.CRDs)
	}
	if !ofSite {
		// What the site knows besides changes nothing in what templates set.
		site = Site{}
	}
	changes := append(append([]chartindex.ValueChange{}, out.Gone...), out.Changed...)
	if out.Set, err = touched(ctx, changes, component, like, site); err != nil {
		return nil, err
	}
	particulars, err := particularsOf(carried.files)
	if err != nil {
		return nil, err
	}
	if err := out.write(chart, file, added, particulars); err != nil {
		return nil, err
	}
	if !out.Patch {
		out.Read = toRead(chart, like)
	}
	return out, nil
}

// toRead is what to read before facts of another minor version are taken over.
func toRead(chart *helm.Chart, like string) []string {
	out := []string{fmt.Sprintf("the release notes of every version after %s, up to %s", like, chart.Index.Chart.Version)}
	for _, source := range chart.Index.Chart.Sources {
		out = append(out, "the source: "+source)
	}
	return append(out, "values.yaml and the templates of the chart, at every value that `gpugen chart add` names",
		"the requirements on Kubernetes, operating systems, drivers and other charts")
}

func sameMinor(a, b string) bool {
	x, err := semver.NewVersion(a)
	y, err2 := semver.NewVersion(b)
	return err == nil && err2 == nil && x.Major() == y.Major() && x.Minor() == y.Minor()
}

// nearest returns the newest version that is no newer, else the oldest; of the same
// minor version, if there are any.
func nearest(versions []string, version string) string {
	same := slices.DeleteFunc(slices.Clone(versions), func(v string) bool { return !sameMinor(v, version) })
	if len(same) > 0 {
		versions = same
	}
	sorted := slices.SortedFunc(slices.Values(versions), func(a, b string) int {
		return semver.MustParse(a).Compare(semver.MustParse(b))
	})
	out := sorted[0]
	for _, v := range sorted {
		if semver.MustParse(v).Compare(semver.MustParse(version)) <= 0 {
			out = v
		}
	}
	return out
}

// otherSizes are the CRDs that both have, of another size.
func otherSizes(was, is []chartindex.CRD) []string {
	out := []string{}
	for _, c := range is {
		i := slices.IndexFunc(was, func(b chartindex.CRD) bool { return b.Name == c.Name && b.Source == c.Source })
		if i >= 0 && was[i].Bytes != c.Bytes {
			out = append(out, c.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
