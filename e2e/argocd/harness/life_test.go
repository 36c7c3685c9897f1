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

	apierrors "k8s.io/apimachinery/pkg/api/errors"

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

// until is what render asks for, for the AppProject to allow what Argo CD has yet to
// delete.
const until = `gitops: argocd: project: alsoAllow: kinds: ["CronJob.batch"]
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
			s.commit(t, renderOver(t, first, write(t, "dev-time-slicing", fmt.Sprintf(smaller, stays)+setting+until), "--allow-prune", "smoke-tests", "--allow-prune", "tenant-"+goes))
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
			end := s.end(t, deletion, c.layout)
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
	return renderOver(t, "", spec)
}

// renderOver renders a spec into a copy of a tree, if there is one.
func renderOver(t *testing.T, before, spec string, flags ...string) string {
	t.Helper()
	if reason := os.Getenv(skipVariable); reason != "" {
		t.Skip(reason)
	}
	program, err := filepath.Abs(filepath.Join(build, "bin", "gpugen"))
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(t.TempDir(), "tree")
	if before != "" {
		if err := os.CopyFS(tree, os.DirFS(before)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), program, append([]string{"render", spec, "-o", tree}, flags...)...).CombinedOutput(); err != nil {
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
			mine, theirs := step(one), step(other)
			if theirs < 0 || theirs >= mine {
				continue
			}
			if began, ended := r.began[one.Name], r.ended[other.Name]; began.IsZero() || ended.IsZero() || began.Before(ended) {
				t.Errorf("%s of step %d was synced at %v, %s of step %d had been at %v", one.Name, mine, began, other.Name, theirs, ended)
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

// leave waits until the Applications that the tree has no more are gone, and does
// what the README says where it takes a person. It says what that was.
func (s *site) leave(t *testing.T, left []string) string {
	t.Helper()
	return s.helpUntil(t, func(all []harness.Application) bool {
		return !slices.ContainsFunc(all, func(one harness.Application) bool { return slices.Contains(left, one.Name) })
	})
}

// end deletes the root as the README says, and waits until nothing is left that
// should not be.
func (s *site) end(t *testing.T, deletion, layout string) string {
	t.Helper()
	if err := s.DeleteApplication(t.Context(), s.root.GetName()); err != nil {
		t.Fatal(err)
	}
	if layout == "applicationset" {
		if err := s.DeleteApplicationSet(t.Context(), s.root.GetName()); err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
	if deletion == "keep" {
		// Each Application by itself; nothing has a finalizer.
		s.helpUntil(t, func(all []harness.Application) bool { return len(all) == len(s.applications())-1 })
		for _, name := range s.applications() {
			if name != s.root.GetName() {
				if err := s.DeleteApplication(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return s.helpUntil(t, func(all []harness.Application) bool {
		inReverse(t, all)
		return len(all) == 0
	})
}

// inReverse holds Applications that are being deleted against the steps of their
// ApplicationSet: none goes before those of the steps after it have gone.
func inReverse(t *testing.T, all []harness.Application) {
	t.Helper()
	for _, one := range all {
		for _, other := range all {
			if mine, theirs := step(one), step(other); one.DeletionTimestamp != nil && mine >= 0 && theirs > mine {
				t.Errorf("%s of step %d is being deleted, and %s of step %d is still there", one.Name, mine, other.Name, theirs)
			}
		}
	}
}

// step is that of the ApplicationSet, below 0 without one.
func step(one harness.Application) int {
	n, err := strconv.Atoi(one.Labels["gpugen.github.io/step"])
	if err != nil {
		return -1
	}
	return n
}

// goneLimit is for Applications to go.
const goneLimit = 15 * time.Minute

// helpUntil does for each Application what the README of a tree says where it waits
// for a person: it confirms, and ends a sync that keeps an Application from being
// deleted. It returns what it did.
func (s *site) helpUntil(t *testing.T, done func([]harness.Application) bool) string {
	t.Helper()
	confirmed, ended := map[string]bool{}, map[string]bool{}
	began := time.Now()
	for {
		all, err := s.Applications(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if done(all) {
			return help(confirmed, ended)
		}
		for _, one := range all {
			switch operation := one.Status.OperationState; {
			case !confirmed[one.Name] && asks(one):
				confirmed[one.Name] = true
				err = s.Annotate(t.Context(), one.Name, "argocd.argoproj.io/deletion-approved", time.Now().UTC().Format(time.RFC3339))
			case !ended[one.Name] && one.DeletionTimestamp != nil && operation.Phase == "Running" && operation.RetryCount > 0:
				ended[one.Name] = true
				err = s.EndSync(t.Context(), one.Name)
			}
			if err != nil && !apierrors.IsNotFound(err) {
				t.Fatal(err)
			}
		}
		if time.Since(began) > goneLimit {
			for _, one := range all {
				t.Logf("%s, deleted %v: %s", one.Name, one.DeletionTimestamp, state(one))
			}
			t.Fatalf("still there after %v; %s", goneLimit, help(confirmed, ended))
		}
		time.Sleep(500 * time.Millisecond)
	}
}

func help(confirmed, ended map[string]bool) string {
	var did []string
	if len(confirmed) > 0 {
		did = append(did, strings.Join(slices.Sorted(maps.Keys(confirmed)), ", ")+" were confirmed")
	}
	if len(ended) > 0 {
		did = append(did, "the syncs of "+strings.Join(slices.Sorted(maps.Keys(ended)), ", ")+" were ended")
	}
	if did == nil {
		return "gone without a question"
	}
	return "gone once " + strings.Join(did, " and ")
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
		if len(after) == len(want) || time.Since(began) > goneLimit {
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
