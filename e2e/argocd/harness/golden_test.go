//go:build linux

package harness_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gpugen/gpugen/e2e/argocd/harness"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// Every golden tree is applied as its README says, and comes to rest: all Synced
// and Healthy, no condition without a reason, nothing moves at a second look, and
// what a person changes is changed back.
func TestGoldenTrees(t *testing.T) {
	trees, err := filepath.Glob(filepath.Join(root, "golden", "*", "root.yaml"))
	if err != nil || len(trees) == 0 {
		t.Fatal("no golden trees", err)
	}
	for _, file := range trees {
		tree := filepath.Dir(file)
		// Flux is no Argo CD.
		if isThere(tree, "flux") {
			continue
		}
		t.Run(filepath.Base(tree), func(t *testing.T) {
			s := start(t, tree)
			set := isThere(tree, "argocd", "applicationset.yaml")
			if set {
				if err := s.ApplicationSets(); err != nil {
					t.Fatal(err)
				}
			}
			s.commit(t, tree)
			s.applyRoot(t, tree)
			rest := s.settle(t, settleLimit)
			conditions := explain(t, rest)
			if set {
				inSteps(t, rest)
				s.setAtRest(t)
			}
			s.staysAsItIs(t)
			healed := rest.applications
			if set {
				// RollingSync heals nothing: only what the root applies is changed back.
				healed = slices.DeleteFunc(slices.Clone(healed), func(one harness.Application) bool { return one.Name != s.root.GetName() })
			}
			edits, took := s.healsItself(t, healed)
			note(t, fmt.Sprintf("%s: %s, %s, no drift, %d edits reverted within %.0f s", filepath.Base(tree), summary(rest), conditions, edits, took.Seconds()))
		})
	}
}

// setAtRest holds the conditions of the ApplicationSet: it made its Applications, and all
// steps are done.
func (s *site) setAtRest(t *testing.T) {
	t.Helper()
	set := s.get(t, "ApplicationSet", s.root.GetName())
	listed, _, err := unstructured.NestedSlice(set.Object, "status", "conditions")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, one := range listed {
		condition, _ := one.(map[string]any)
		got[fmt.Sprint(condition["type"])] = fmt.Sprint(condition["status"])
	}
	want := map[string]string{"ErrorOccurred": "False", "ParametersGenerated": "True", "ResourcesUpToDate": "True", "RolloutProgressing": "False"}
	if !maps.Equal(got, want) {
		t.Errorf("conditions of the ApplicationSet: %v, want %v", got, want)
	}
}

// settleLimit is for machines on which much else is going on: what is waited for is
// looked at twice a second, so no limit is reached but where something is wrong.
const settleLimit = 20 * time.Minute

func isThere(path ...string) bool {
	_, err := os.Stat(filepath.Join(path...))
	return err == nil
}

// summary says in short what it took.
func summary(r rest) string {
	objects, retries := 0, []string{}
	for _, one := range r.applications {
		objects += len(one.Status.Resources)
		if n := r.retries[one.Name]; n > 0 {
			retries = append(retries, fmt.Sprintf("%s %d", one.Name, n))
		}
	}
	tried := "no retries"
	if len(retries) > 0 {
		tried = "retries: " + strings.Join(retries, ", ")
	}
	return fmt.Sprintf("%d Applications, %d objects, Synced and Healthy after %.0f s, %s", len(r.applications), objects, r.took.Seconds(), tried)
}

// explained are the conditions that an Application at rest may have, and why.
var explained = []struct{ condition, message, why string }{
	{"RepeatedResourceWarning", `network-operator-(hooks-)?(keep-ncp|scale)`, "the tree has Argo CD skip hooks of the chart, which no value turns off"},
}

// explain fails for each condition without a reason, and counts the others.
func explain(t *testing.T, r rest) string {
	t.Helper()
	counts := map[string]int{}
	for _, one := range r.applications {
		for _, condition := range one.Status.Conditions {
			at := slices.IndexFunc(explained, func(e struct{ condition, message, why string }) bool {
				return e.condition == condition.Type && regexp.MustCompile(e.message).MatchString(condition.Message)
			})
			if at < 0 {
				t.Errorf("%s: %s: %s", one.Name, condition.Type, condition.Message)
				continue
			}
			counts[condition.Type+" ("+explained[at].why+")"]++
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%d %s", counts[name], name))
	}
	if out == nil {
		return "no conditions"
	}
	return strings.Join(out, ", ")
}

// staysAsItIs has Argo CD render and compare everything anew, and holds the resource
// version of each object against that from before. A tree that Argo CD does not leave
// alone changes something each time; a controller that had not come to its end does so
// once, and then it is looked at again.
func (s *site) staysAsItIs(t *testing.T) {
	t.Helper()
	const looks = 3
	for look := 1; ; look++ {
		before := s.tracked(t)
		if err := s.RefreshAll(t.Context(), "hard"); err != nil {
			t.Fatal(err)
		}
		// The root may say for a moment that an Application differs, which changed while
		// the API server was asked.
		s.settle(t, settleLimit)
		moved := harness.Moved(before, s.tracked(t))
		if len(moved) == 0 {
			return
		}
		for _, one := range moved {
			if look == looks {
				t.Errorf("after each hard refresh: %s", one)
			} else {
				t.Logf("after a hard refresh: %s", one)
			}
		}
		if look == looks {
			return
		}
	}
}

// healLimit is many times longer than Argo CD waits before it heals.
const healLimit = 10 * time.Minute

// healsItself changes one value of each Application, all at once, and waits until
// Argo CD has put them back. It returns how many.
func (s *site) healsItself(t *testing.T, applications []harness.Application) (int, time.Duration) {
	t.Helper()
	var edits []*harness.Edit
	for _, one := range applications {
		edit, err := s.EditOne(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		if edit != nil {
			t.Logf("edited: %s", edit.Where)
			edits = append(edits, edit)
		}
	}
	if len(edits) == 0 {
		t.Fatal("no value could be changed")
	}
	began := time.Now()
	for _, edit := range edits {
		for {
			reverted, err := edit.Reverted(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if reverted {
				break
			}
			if time.Since(began) > healLimit {
				t.Errorf("not reverted: %s", edit.Where)
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
	return len(edits), time.Since(began)
}

// note adds a line to the table.
func note(t *testing.T, line string) {
	t.Helper()
	t.Log(line)
	file, err := os.OpenFile(table, os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintln(file, line); err != nil {
		t.Error(err)
	}
}

// start has everything run that the tree needs, until the test ends.
func start(t *testing.T, tree string) *site {
	t.Helper()
	return startWith(t, tree, harness.Options{})
}

func startWith(t *testing.T, tree string, options harness.Options) *site {
	t.Helper()
	if reason := os.Getenv(skipVariable); reason != "" {
		t.Skip(reason)
	}
	began := time.Now()
	programs, err := filepath.Abs(filepath.Join(build, "bin"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSite(tree, upstreamtest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	if s.dir, err = filepath.Abs(filepath.Join(build, "runs", filepath.Base(t.Name()))); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	options.Minor, options.Namespace, options.Nodes = s.minor, s.root.GetNamespace(), s.nodes()
	s.Harness, err = harness.Start(t.Context(), harness.Programs{Dir: programs, ArgoCD: os.Getenv(sourceVariable)}, s.dir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		var lines []string
		total := int64(0)
		for name, peak := range s.Stop() {
			total += peak
			lines = append(lines, fmt.Sprintf("%s %d MiB", name, peak>>20))
		}
		t.Logf("%d MiB: %s", total>>20, strings.Join(lines, ", "))
	})
	if err := s.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("up after %.1f s", time.Since(began).Seconds())
	return s
}
