package chartcli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/chartfacts"
	"github.com/gpugen/gpugen/generators/helm"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

// printFacts says for people what is different in a chart version.
func printFacts(out io.Writer, f *chartfacts.Facts, files []string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s, like %s", f.Is.Name, f.Is.Version, f.Like)
	if f.Was.Version != f.Like {
		fmt.Fprintf(&b, ", beside %s", f.Was.Version)
	}
	fmt.Fprintln(&b)
	section := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s:\n", title)
		for _, line := range lines {
			fmt.Fprintf(&b, "  %s\n", diag.Visible(line))
		}
	}
	section("Values that gpugen's templates set, and that are gone or other", valueLines(f.Set))
	section("Values that must be set now", pathLines(f.Required))
	section("Other values that are gone", valueLines(without(f.Gone, f.Set)))
	section("Other values that take something else", valueLines(without(f.Changed, f.Set)))
	section("New values", valueLines(f.Added))
	section("Values with another default", defaultLines(f))
	section("Hooks that are new", hookLines(f.HooksAdded))
	section("Hooks that are gone", hookLines(f.HooksGone))
	var crds []string
	for _, c := range f.CRDs {
		crds = append(crds, change(c.Name, strings.Join(c.Was, ", "), strings.Join(c.Is, ", ")))
	}
	section("CRDs and their versions", crds)
	for _, c := range f.Fields {
		section(fmt.Sprintf("Fields of CRD %s: %d gone, %d of another type, %d new", c.CRD, len(c.Gone), len(c.Changed), len(c.Added)), fieldLines(c))
	}
	section("CRDs of another size: which fields are different, --compare says with the chart of "+f.Like, f.Sizes)
	section("Kinds of objects that are new", objectLines(f.ObjectsAdded))
	section("Kinds of objects that are gone", objectLines(f.ObjectsGone))
	section("Images", changeLines(f.Images))
	section("Charts inside it", changeLines(f.Subcharts))
	if f.Was.AppVersion != f.Is.AppVersion {
		section("Version of the application, which images without a tag mostly have", []string{f.Was.AppVersion + " -> " + f.Is.AppVersion})
	}
	if f.Was.KubeVersion != f.Is.KubeVersion {
		section("Versions of Kubernetes that the chart takes", []string{change("kubeVersion", f.Was.KubeVersion, f.Is.KubeVersion)})
	}
	var taken []string
	for _, t := range f.Taken {
		taken = append(taken, change(t.Fact, t.Was, t.Is))
	}
	section("Facts of gpugen that come from this chart", taken)
	section("Facts of gpugen that are "+f.Like+"'s, and that nobody has looked at", f.Unread)
	section("This is another minor version. vet refuses it until this is read, and like and unread are taken out of the facts", f.Read)
	fmt.Fprintln(&b)
	for _, name := range files {
		fmt.Fprintf(&b, "wrote %s\n", name)
	}
	_, err := diag.Writer{To: out}.Write(b.Bytes())
	return err
}

func change(name, was, is string) string {
	switch {
	case was == "":
		return name + ": new, " + is
	case is == "":
		return name + ": gone, was " + was
	}
	return name + ": " + was + " -> " + is
}

func valueLines(list []chartindex.ValueChange) []string {
	var out []string
	for _, c := range list {
		out = append(out, change(strings.Join(c.Path, "."), c.Was, c.Is))
	}
	return out
}

// without leaves out what is said already.
func without(list, said []chartindex.ValueChange) []chartindex.ValueChange {
	return slices.DeleteFunc(slices.Clone(list), func(c chartindex.ValueChange) bool {
		return slices.ContainsFunc(said, func(s chartindex.ValueChange) bool { return slices.Equal(s.Path, c.Path) })
	})
}

func pathLines(list []chartindex.Path) []string {
	var out []string
	for _, p := range list {
		out = append(out, strings.Join(p, "."))
	}
	return out
}

// defaultLines leaves out the parts of images, which have lines of their own.
func defaultLines(f *chartfacts.Facts) []string {
	var out []string
	for _, d := range f.Defaults {
		ofImage := slices.ContainsFunc(f.Images, func(i chartindex.Change) bool { return d.Path.Below(i.Path) })
		if !ofImage {
			out = append(out, fmt.Sprintf("%s: %s -> %s", strings.Join(d.Path, "."), defaultText(d.Was), defaultText(d.Is)))
		}
	}
	return out
}

func defaultText(def any) string {
	switch def := def.(type) {
	case nil:
		return "none"
	case string:
		return fmt.Sprintf("%q", def)
	default:
		return fmt.Sprint(def)
	}
}

func hookLines(list []chartindex.Hook) []string {
	var out []string
	for _, h := range list {
		out = append(out, fmt.Sprintf("%s/%s (%s)", h.Kind, h.Name, strings.Join(h.Events, ", ")))
	}
	return out
}

func objectLines(list []chartindex.Object) []string {
	var out []string
	for _, o := range list {
		out = append(out, fmt.Sprintf("%s (%s)", o.Kind, o.APIVersion))
	}
	return out
}

func changeLines(list []chartindex.Change) []string {
	var out []string
	for _, c := range list {
		out = append(out, change(strings.Join(c.Path, "."), c.Was, c.Is))
	}
	return out
}

// mostFields of each sort are named.
const mostFields = 10

// fieldLines are the first fields of each sort; JSON has all.
func fieldLines(c helm.FieldChanges) []string {
	var out []string
	for _, sort := range []struct {
		word string
		all  []string
	}{{"gone", c.Gone}, {"other", c.Changed}, {"new", c.Added}} {
		for i, field := range sort.all {
			if i == mostFields {
				out = append(out, fmt.Sprintf("%s: and %d more", sort.word, len(sort.all)-mostFields))
				break
			}
			out = append(out, sort.word+": "+field)
		}
	}
	return out
}
