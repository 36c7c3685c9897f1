//go:build linux

package harness_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/e2e/argocd/harness"
)

// small is a cluster with a chart, objects beside it, and a namespace of each kind
// that a tree brings. It is laid over an example.
const small = `package cluster

smokeTests: enabled: true
tenants: {
	red: {namespaces: ["red"], quota: shared: gpus: 4}
	blue: {namespaces: ["blue"], quota: shared: gpus: 4}
}
`

// smaller is that without the smoke tests and one tenant.
const smaller = `package cluster

tenants: %[1]s: {namespaces: ["%[1]s"], quota: shared: gpus: 4}
`

// What leaves the spec goes as gitops.argocd.deletion says and takes nothing else
// with it, a revert brings it back, and deleting the root does what the README of
// the tree says.
func TestLife(t *testing.T) {
	// The tenant that leaves is the first one, whose namespace nothing else may hang on.
	const stays, goes = "red", "blue"
	for _, c := range []struct{ name, deletion, layout string }{
		{"keep", "keep", "app-of-apps"},
		{"confirm", "confirm", "app-of-apps"},
		{"cascade", "cascade", "app-of-apps"},
		{"ApplicationSet", "cascade", "applicationset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			// What smaller lacks.
			left := []string{"dev-smoke-tests", "dev-tenant-" + goes}
			deletion := c.deletion
			setting := fmt.Sprintf("gitops: argocd: {deletion: %q, layout: %q}\n", deletion, c.layout)
			first := render(t, "dev-time-slicing", small+setting)
			s := start(t, first)
			if c.layout == "applicationset" {
				if err := s.ApplicationSets(); err != nil {
					t.Fatal(err)
				}
			}
			repository := s.commit(t, first)
			s.applyRoot(t, first)
			rest := s.settle(t, settleLimit)
			explain(t, rest)
			if c.layout == "applicationset" {
				inSteps(t, rest)
			}
			before := s.tracked(t)

			// Removal.
			s.commit(t, render(t, "dev-time-slicing", fmt.Sprintf(smaller, stays)+setting))
			s.refreshRoot(t)
			waiting := s.leave(t, left)
			s.settle(t, settleLimit)
			s.remains(t, before, func(o harness.Object) bool { return deletion != "keep" && slices.Contains(left, o.Application) })

			// Rollback.
			if _, err := repository.Revert(); err != nil {
				t.Fatal(err)
			}
			if err := s.read(first); err != nil {
				t.Fatal(err)
			}
			s.refreshRoot(t)
			s.settle(t, settleLimit)
			if moved := harness.Moved(only(before, false), only(s.tracked(t), false)); len(moved) > 0 {
				t.Errorf("after a revert: %v", moved)
			}

			// The end.
			before = s.tracked(t)
			began := time.Now()
			end := s.end(t, deletion)
			s.remains(t, before, func(o harness.Object) bool { return deletion != "keep" })
			note(t, fmt.Sprintf("%s, deletion %s: %s; %s left the spec: %s; reverted; the root deleted: %s, after %.0f s",
				c.layout, deletion, summary(rest), strings.Join(left, " and "), waiting, end, time.Since(began).Seconds()))
		})
	}
}

// render renders an example with a change laid over it.
func render(t *testing.T, example, change string) string {
	t.Helper()
	return renderSpec(t, write(t, example, change))
}

// write writes an example with a change laid over it.
func write(t *testing.T, example, change string) string {
	t.Helper()
	spec := t.TempDir()
	text, err := os.ReadFile(filepath.Join(root, "examples", example, "cluster.cue"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"cluster.cue": text, "change.cue": []byte(change)} {
		if err := os.WriteFile(filepath.Join(spec, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return spec
}

func renderSpec(t *testing.T, spec string) string {
	t.Helper()
	if reason := os.Getenv(skipVariable); reason != "" {
		t.Skip(reason)
	}
	program, err := filepath.Abs(filepath.Join(build, "bin", "gpugen"))
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(t.TempDir(), "tree")
	if out, err := exec.CommandContext(t.Context(), program, "render", spec, "-o", tree).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return tree
}

// inSteps holds the Applications against the steps of their ApplicationSet: none is
// synced before those of the steps before it were.
func inSteps(t *testing.T, r rest) {
	t.Helper()
	for _, one := range r.applications {
		for _, other := range r.applications {
			const label = "gpugen.github.io/step"
			mine, err := strconv.Atoi(one.Labels[label])
			theirs, otherErr := strconv.Atoi(other.Labels[label])
			if err != nil || otherErr != nil || theirs >= mine {
				continue
			}
			if began := one.Status.OperationState.StartedAt; began.Before(other.Status.OperationState.FinishedAt) {
				t.Errorf("%s of step %d was synced at %v, before %s of step %d had been, at %v",
					one.Name, mine, began, other.Name, theirs, other.Status.OperationState.FinishedAt)
			}
		}
	}
}

func (s *site) tracked(t *testing.T) map[string]harness.Object {
	t.Helper()
	out, err := s.Tracked(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refreshRoot has Argo CD see a commit, as a webhook of the git server would.
func (s *site) refreshRoot(t *testing.T) {
	t.Helper()
	if err := s.RefreshAll(t.Context(), "normal"); err != nil {
		t.Fatal(err)
	}
}

// leave waits until the Applications that the tree has no more are gone, and
// confirms what asks for it. It says who did.
func (s *site) leave(t *testing.T, left []string) string {
	t.Helper()
	asked := s.confirmUntil(t, func(all []harness.Application) bool {
		return !slices.ContainsFunc(all, func(one harness.Application) bool { return slices.Contains(left, one.Name) })
	})
	return answer(asked)
}

// end deletes the root as the README says, and waits until nothing is left that
// should not be.
func (s *site) end(t *testing.T, deletion string) string {
	t.Helper()
	if err := s.DeleteApplication(t.Context(), s.root.GetName()); err != nil {
		t.Fatal(err)
	}
	if deletion == "keep" {
		// Each Application by itself; nothing has a finalizer.
		s.confirmUntil(t, func(all []harness.Application) bool { return len(all) == len(s.applications())-1 })
		for _, name := range s.applications() {
			if name != s.root.GetName() {
				if err := s.DeleteApplication(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return answer(s.confirmUntil(t, func(all []harness.Application) bool { return len(all) == 0 }))
}

func answer(asked []string) string {
	if len(asked) == 0 {
		return "gone without a question"
	}
	return "gone once " + strings.Join(asked, ", ") + " were confirmed"
}

// goneLimit is for Applications to go.
const goneLimit = 4 * time.Minute

// confirmUntil confirms each Application that waits for it, and returns which.
func (s *site) confirmUntil(t *testing.T, done func([]harness.Application) bool) []string {
	t.Helper()
	asked := map[string]bool{}
	began := time.Now()
	for {
		all, err := s.Applications(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if done(all) {
			return slices.Sorted(maps.Keys(asked))
		}
		for _, one := range all {
			if asked[one.Name] || !asks(one) {
				continue
			}
			asked[one.Name] = true
			if err := s.Annotate(t.Context(), one.Name, "argocd.argoproj.io/deletion-approved", time.Now().UTC().Format(time.RFC3339)); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(began) > goneLimit {
			for _, one := range all {
				t.Logf("%s, deleted %v: %s", one.Name, one.DeletionTimestamp, state(one))
			}
			t.Fatalf("still there after %v", goneLimit)
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// asks tells whether an Application waits for a confirmation, by what the README
// says to look at.
func asks(one harness.Application) bool {
	if one.DeletionTimestamp != nil {
		return slices.ContainsFunc(one.Status.Resources, func(r harness.Resource) bool { return r.RequiresDeletionConfirmation })
	}
	return strings.Contains(one.Status.OperationState.Message, "confirm")
}

// remains holds what is there against what was before: just those that should go
// are gone, and no other was touched.
func (s *site) remains(t *testing.T, before map[string]harness.Object, goes func(harness.Object) bool) {
	t.Helper()
	var want, after map[string]harness.Object
	want = maps.Clone(before)
	maps.DeleteFunc(want, func(_ string, o harness.Object) bool { return goes(o) })
	for began := time.Now(); ; time.Sleep(time.Second) {
		after = s.tracked(t)
		// What has a finalizer of a controller takes a moment.
		if len(after) == len(want) || time.Since(began) > time.Minute {
			break
		}
	}
	if moved := harness.Moved(only(want, true), only(after, true)); len(moved) > 0 {
		t.Errorf("%v", moved)
	}
}

// only leaves out the versions, which change when an object is looked after, and
// on demand what tells an object from one that is made anew.
func only(objects map[string]harness.Object, same bool) map[string]harness.Object {
	out := map[string]harness.Object{}
	for key, o := range objects {
		if same {
			out[key] = harness.Object{UID: o.UID}
		} else {
			out[key] = harness.Object{}
		}
	}
	return out
}
