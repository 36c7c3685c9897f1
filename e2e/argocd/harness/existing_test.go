//go:build linux

package harness_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/e2e/argocd/harness"
)

// existing has the tree take the place of a project and two Applications.
const existing = small + `gitops: argocd: project: {name: "platform", create: false}
components: {
	"gpu-operator": argocd: name: "gpu-stack"
	motd: {
		argocd: name: "motd-of-old"
		objects: motd: {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "motd", namespace: "motd"}, data: text: "hello"}
	}
}
`

// A tree that is rendered into a project that is there, which allows what its README
// says, takes over Applications that are there, one made with kubectl and one by Argo CD's
// own API: nothing that they made is deleted or made anew, and neither the project nor
// another Application changes.
func TestExisting(t *testing.T) {
	for _, layout := range []string{"app-of-apps", "applicationset"} {
		t.Run(layout, func(t *testing.T) {
			tree := render(t, "dev-time-slicing", existing+fmt.Sprintf("gitops: argocd: layout: %q\n", layout))
			s := start(t, tree)
			if layout == "applicationset" {
				if err := s.ApplicationSets(); err != nil {
					t.Fatal(err)
				}
			}
			before := s.usersOwn(t, tree)
			pods := s.pods(t)
			untouched := map[string]*unstructured.Unstructured{"AppProject": s.get(t, "AppProject", "platform"), "Application": s.get(t, "Application", "of-others")}
			taken := map[string]*unstructured.Unstructured{"gpu-stack": nil, "motd-of-old": nil}
			for name := range taken {
				taken[name] = s.get(t, "Application", name)
			}

			s.others = []string{"of-others"}
			s.commit(t, tree)
			s.applyRoot(t, tree)
			rest := s.settle(t, settleLimit)
			conditions := explain(t, rest)
			if moved := harness.Moved(same(before, before), same(s.tracked(t), before)); len(moved) > 0 {
				t.Errorf("what was there: %v", moved)
			}
			if moved := harness.Moved(pods, s.pods(t)); len(moved) > 0 {
				t.Errorf("Pods restarted: %v", moved)
			}
			for kind, was := range untouched {
				now := s.get(t, kind, was.GetName())
				if now.GetUID() != was.GetUID() || !reflect.DeepEqual(now.Object["spec"], was.Object["spec"]) || !slices.Equal(now.GetFinalizers(), was.GetFinalizers()) {
					t.Errorf("%s %s was changed: %v", kind, was.GetName(), now.Object)
				}
			}
			s.asReadme(t, tree, "gpu-stack", "motd-of-old")
			for name, was := range taken {
				now := s.get(t, "Application", name)
				if now.GetUID() != was.GetUID() {
					t.Errorf("%s was made anew", name)
				}
				if len(now.GetFinalizers()) > 0 {
					t.Errorf("%s has finalizers, of which the README says that there are none: %v", name, now.GetFinalizers())
				}
				if _, old, _ := unstructured.NestedMap(now.Object, "spec", "source"); old {
					t.Errorf("%s still has its source from before", name)
				}
			}
			s.staysAsItIs(t)
			note(t, fmt.Sprintf("existing project and Applications, %s: %s, %s; %d objects of before stayed, no Pod restarted, no drift", layout, summary(rest), conditions, len(before)))
		})
	}
}

// patched is what the README says to take from Applications that are taken over.
var patched = regexp.MustCompile("\nkubectl patch application -n argocd NAME --type merge -p '(.*)'\n")

// asReadme does that, where it says so: of what an ApplicationSet makes, nothing stays.
func (s *site) asReadme(t *testing.T, tree string, names ...string) {
	t.Helper()
	said := patched.FindSubmatch(readme(t, tree))
	if said == nil {
		return
	}
	for _, name := range names {
		if err := s.PatchObject(t.Context(), "Application", name, said[1]); err != nil {
			t.Fatal(err)
		}
	}
}

func readme(t *testing.T, tree string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tree, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// allows is what the README of a tree says that the project must allow.
var allows = regexp.MustCompile("(?s)\nThe AppProject `platform` must exist. It must allow:\n\n```yaml\n(.*?)```\n")

// usersOwn makes a project and Applications as people would, before there was a tree,
// and returns what came of it.
func (s *site) usersOwn(t *testing.T, tree string) map[string]harness.Object {
	t.Helper()
	said := allows.FindSubmatch(readme(t, tree))
	if said == nil {
		t.Fatal("the README does not say what the project must allow")
	}
	project := map[string]any{}
	if err := yaml.Unmarshal(said[1], &project); err != nil {
		t.Fatal(err)
	}
	s.make(t, "kubectl-client-side-apply", "AppProject", "platform", nil, project)

	source, _, _ := unstructured.NestedStringMap(s.root.Object, "spec", "source")
	repository, err := s.Repository(source["repoURL"])
	if err != nil {
		t.Fatal(err)
	}
	for path, folder := range map[string]string{"old/motd": filepath.Join(tree, "motd"), "others": others(t)} {
		if _, err := repository.Commit(path, folder, "before"); err != nil {
			t.Fatal(err)
		}
	}
	inGit := func(path string) map[string]any {
		return map[string]any{"repoURL": source["repoURL"], "targetRevision": "main", "path": path}
	}
	release := s.releases[0]
	values := map[string]any{}
	text, err := os.ReadFile(filepath.Join(tree, "gpu-operator", "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	chart := map[string]any{
		"repoURL": release.RepoURL, "chart": release.Chart, "targetRevision": release.Version,
		"helm": map[string]any{"releaseName": release.Name, "valuesObject": values},
	}
	for _, one := range []struct {
		manager, name, project, namespace string
		source                            map[string]any
	}{
		{"kubectl-client-side-apply", "gpu-stack", "platform", "gpu-operator", chart},
		{"argocd-server", "motd-of-old", "platform", "motd", inGit("old/motd")},
		{"kubectl-client-side-apply", "of-others", "default", "default", inGit("others")},
	} {
		s.make(t, one.manager, "Application", one.name, []string{"resources-finalizer.argocd.argoproj.io"}, map[string]any{
			"project":     one.project,
			"source":      one.source,
			"destination": map[string]any{"server": "https://kubernetes.default.svc", "namespace": one.namespace},
			"syncPolicy":  map[string]any{"automated": map[string]any{}, "syncOptions": []string{"CreateNamespace=true", "ServerSideApply=true"}},
		})
	}
	explain(t, s.settleOn(t, []string{"gpu-stack", "motd-of-old", "of-others"}, settleLimit))
	before := s.tracked(t)
	for _, name := range []string{"gpu-stack", "motd-of-old", "of-others"} {
		if !slices.ContainsFunc(slices.Collect(maps.Values(before)), func(o harness.Object) bool { return o.Application == name }) {
			t.Fatalf("%s made nothing", name)
		}
	}
	return before
}

// others is a folder that is none of the tree's.
func others(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: others}\ndata: {text: hello}\n"
	if err := os.WriteFile(filepath.Join(dir, "others.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// make makes an object of Argo CD's as somebody else would.
func (s *site) make(t *testing.T, manager, kind, name string, finalizers []string, spec map[string]any) {
	t.Helper()
	if err := s.CreateAs(t.Context(), manager, kind, name, finalizers, spec); err != nil {
		t.Fatal(err)
	}
}

func (s *site) get(t *testing.T, kind, name string) *unstructured.Unstructured {
	t.Helper()
	out, err := s.Named(t.Context(), kind, name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
