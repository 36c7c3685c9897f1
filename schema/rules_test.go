package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
)

func TestNothingIsFoundInTheBase(t *testing.T) {
	for _, format := range []string{"cue", "yaml", "json"} {
		if _, found := single(format, baseSpec()).judge(t); len(found) > 0 {
			t.Errorf("%s: %v", format, described(found))
		}
	}
}

// TestRules holds everything that is tried on each rule by its own bad and good, in a
// short run on one rule in eight;
// `go test ./schema -run TestRules/ID` tries all of it on one.
func TestRules(t *testing.T) {
	t.Cleanup(func() { rewriteRecorded(t) })
	for _, r := range catalogueRules() {
		if !rewrites() && !sample.Some("rule "+r.ID, 8) {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			if r.Bad == nil || r.Good == nil {
				t.Fatal("a rule needs a bad and a good")
			}
			x := example{rule: r, overlay: r.Bad, spec: laidOver(baseSpec(), r.Bad)}
			var found diag.List
			t.Run("finds its bad", func(t *testing.T) {
				found = findsItsBad(t, x)
				asRecorded(t, r, found)
				for _, f := range found {
					x.paths = append(x.paths, f.Path)
					checkMessage(t, f)
				}
			})
			t.Run("its fix leads nowhere else", func(t *testing.T) { leadsNowhereElse(t, r, found) })
			t.Run("finds nothing in its good", func(t *testing.T) {
				if !sample.Draws("good "+r.ID, 8) {
					return
				}
				good := single("yaml", laidOver(baseSpec(), r.Good))
				if _, found := good.judge(t); len(found) > 0 {
					t.Errorf("%v\n%v", described(found), good)
				}
			})
			if !r.Guarded && sample.Draws("without "+r.ID, 80) {
				t.Run("does the work", func(t *testing.T) { doesTheWork(t, r) })
			}
			t.Run("holds its bounds", func(t *testing.T) { holdsItsBounds(t, r.ID) })
			t.Run("finds further bad states", func(t *testing.T) { findsFurtherStates(t, r.ID) })
			t.Run("finds variants of its bad", func(t *testing.T) { findsVariants(t, x) })
			t.Run("finds nothing in variants of its good", func(t *testing.T) { findsNoVariants(t, r) })
		})
	}
}

// findsItsBad checks that a rule's bad is just that rule's doing: nothing else is
// found in it.
func findsItsBad(t *testing.T, x example) diag.List {
	bad := single("yaml", x.spec)
	_, found := bad.judge(t)
	if len(found) == 0 {
		t.Errorf("nothing is found in bad:\n%v", bad)
	}
	for _, f := range found {
		if f.ID != x.rule.ID {
			t.Errorf("bad: %s is found as well", describe1(f))
		}
		if f.Severity != x.rule.Severity {
			t.Errorf("bad: %s is a %s, the rule a %s", describe1(f), f.Severity, x.rule.Severity)
		}
		checkPlaces(t, bad, f)
	}
	return found
}

// checkPlaces checks that a finding, and each other side of it, points at the
// label of its path, or else of the nearest one above that is written.
func checkPlaces(t testing.TB, d documents, f diag.Finding) {
	t.Helper()
	borrowed := borrow(t)
	defer borrowed.giveBack()
	for _, p := range append([]diag.Place{{Position: f.Position, Path: f.Path}}, f.Also...) {
		got := placed(p.Position)
		// A key that is none is a finding of SPEC.
		if !strings.HasPrefix(f.ID, "SPEC-") && !inSchema(borrowed.engine.Spec, cuePathElements(p.Path)) {
			t.Errorf("%s: %s is no path of a spec", f.ID, p.Path)
		}
		want, exact := d.places(cuePathElements(p.Path))
		if slices.Contains(want, got) {
			continue
		}
		// Elements of lists have a place, but no label.
		if strings.HasSuffix(p.Path, "]") && !exact && p.Position.Line > 0 && inElement(p, want[0]) {
			continue
		}
		t.Errorf("%s: %s is said to be at %s, it is at %v\n%v", f.ID, p.Path, got, want, d)
	}
}

// inElement tells whether a place is on the line of the label that it belongs to, or on one below.
func inElement(p diag.Place, label string) bool {
	var line, column int
	if _, err := fmt.Sscanf(label[strings.Index(label, ":")+1:], "%d:%d", &line, &column); err != nil {
		return false
	}
	return p.Position.Line == line && p.Position.Column > column || p.Position.Line > line
}

func placed(p diag.Position) string {
	name := p.File[strings.LastIndex(p.File, "/")+1:]
	if name == source.StdinName {
		name = "."
	}
	return fmt.Sprintf("%s:%d:%d", name, p.Line, p.Column)
}

func described(findings diag.List) string {
	var out []string
	for _, f := range findings {
		out = append(out, describe1(f))
	}
	return strings.Join(out, "\n")
}

func describe1(f diag.Finding) string {
	return fmt.Sprintf("%s %s at %s (%s): %s", f.Severity, f.ID, placed(f.Position), f.Path, f.Message)
}

func pathsOf(places []diag.Place) []string {
	var out []string
	for _, p := range places {
		out = append(out, p.Path)
	}
	return out
}
