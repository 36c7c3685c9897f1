package kustomize

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

const patchable = `
account: {apiVersion: v1, kind: ServiceAccount, metadata: {name: reader, namespace: ns}}
binding:
  apiVersion: rbac.authorization.k8s.io/v1
  kind: RoleBinding
  metadata: {name: readers, namespace: ns}
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
  subjects: [{kind: ServiceAccount, name: reader, namespace: ns}]
first: {apiVersion: v1, kind: ConfigMap, metadata: {name: first, namespace: ns}, data: {text: "a\n---\nb\n"}}
second: {apiVersion: v1, kind: ConfigMap, metadata: {name: second, namespace: ns}}
space: {apiVersion: v1, kind: Namespace, metadata: {name: ns}}
`

func patching(t *testing.T, patches string) plan.Component {
	t.Helper()
	var c plan.Component
	if err := yaml.Unmarshal([]byte(patchable), &c.Objects); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(patches), &c.Patches); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPatchSaysWhatEachPatchChanges(t *testing.T) {
	for name, c := range map[string]struct {
		patches string
		changed [][]string
		err     bool
		// dear says that the steps cannot tell.
		dear bool
	}{
		"each its own": {patches: `
- {target: {name: first}, patch: "- {op: add, path: /data/a, value: b}"}
- {target: {kind: Namespace}, patch: "- {op: add, path: /metadata/labels, value: {a: b}}"}`,
			changed: [][]string{{"first"}, {"space"}}},
		"several at once": {patches: `[{target: {kind: ConfigMap}, patch: "- {op: add, path: /metadata/labels, value: {a: b}}"}]`,
			changed: [][]string{{"first", "second"}}},
		"one on top of another": {patches: `
- {target: {name: second}, patch: "- {op: add, path: /data, value: {a: b}}"}
- {target: {name: second}, patch: "- {op: add, path: /data/c, value: d}"}
- {target: {name: second}, patch: "- {op: remove, path: /data/c}"}`,
			changed: [][]string{{"second"}, {"second"}, {"second"}}},
		"one that names its object": {patches: `[{patch: "{apiVersion: v1, kind: ConfigMap, metadata: {name: second, namespace: ns}, data: {a: b}}"}]`,
			changed: [][]string{{"second"}}},
		"one that names two": {patches: `
- patch: |
    {apiVersion: v1, kind: ConfigMap, metadata: {name: second, namespace: ns}, data: {a: b}}
    ---
    {apiVersion: v1, kind: Namespace, metadata: {name: ns, labels: {a: b}}}`,
			changed: [][]string{{"second", "space"}}},
		"nothing new": {patches: `
- {target: {name: first}, patch: "- {op: test, path: /kind, value: ConfigMap}"}
- {target: {name: second}, patch: "- {op: add, path: /data, value: {a: b}}"}
- {target: {name: second}, patch: "- {op: add, path: /data, value: {a: b}}"}`,
			changed: [][]string{nil, {"second"}, nil}},
		"no such object": {patches: `[{target: {kind: Secret}, patch: "- {op: add, path: /data, value: {a: b}}"}]`,
			changed: [][]string{nil}},
		"one that fails after one that does not": {patches: `
- {target: {name: second}, patch: "- {op: add, path: /data, value: {a: b}}"}
- {target: {name: second}, patch: "- {op: remove, path: /spec/nothing}"}
- {target: {kind: Namespace}, patch: "- {op: add, path: /metadata/labels, value: {a: b}}"}`,
			changed: [][]string{{"second"}}, err: true, dear: true},
		"a name that is not there": {patches: `[{patch: "{apiVersion: v1, kind: ConfigMap, metadata: {name: third, namespace: ns}}"}]`,
			err: true, dear: true},
		"one that deletes": {patches: `[{patch: "{apiVersion: v1, kind: ConfigMap, metadata: {name: second, namespace: ns}, $patch: delete}"}]`,
			err: true, dear: true},
		"one that leaves an object out": {patches: `[{target: {name: second}, patch: "- {op: add, path: /metadata/annotations, value: {config.kubernetes.io/local-config: 'true'}}"}]`,
			err: true, dear: true},
		"a new name": {patches: `[{target: {kind: ServiceAccount}, patch: "- {op: replace, path: /metadata/name, value: other}"}]`,
			err: true, dear: true},
		"a new name that others refer to": {patches: `[{target: {kind: ServiceAccount}, patch: "- {op: replace, path: /metadata/name, value: other}", options: {allowNameChange: true}}]`,
			err: true, dear: true},
		"another namespace": {patches: `[{target: {name: first}, patch: "- {op: replace, path: /metadata/namespace, value: other}"}]`,
			err: true, dear: true},
		"another kind": {patches: `[{target: {kind: Namespace}, patch: "- {op: replace, path: /kind, value: Project}"}]`,
			err: true, dear: true},
		"another group": {patches: `[{target: {kind: Namespace}, patch: "- {op: replace, path: /apiVersion, value: project.openshift.io/v1}"}]`,
			err: true, dear: true},
		"another version": {patches: `[{target: {name: readers}, patch: "- {op: replace, path: /apiVersion, value: rbac.authorization.k8s.io/v1beta1}"}]`,
			changed: [][]string{{"binding"}}},
		"a version that is no text": {patches: `[{target: {kind: Namespace}, patch: "- {op: replace, path: /apiVersion, value: 1}"}]`,
			err: true, dear: true},
	} {
		t.Run(name, func(t *testing.T) {
			component := patching(t, c.patches)
			did, err := Patch(component)
			changed := did.Changed
			if !reflect.DeepEqual(changed, c.changed) || (err != nil) != c.err {
				t.Errorf("changes %q, %v; want %q", changed, err, c.changed)
			}
			keys := slices.Sorted(maps.Keys(component.Objects))
			exact, exactErr := patchByPatch(component, keys)
			if !reflect.DeepEqual(changed, exact.Changed) || fmt.Sprint(err) != fmt.Sprint(exactErr) {
				t.Errorf("patch by patch changes %q, %v", exact.Changed, exactErr)
			}
			if steps, err := stepwise(component, keys); !c.dear && (err != nil || !reflect.DeepEqual(steps.changed, c.changed)) {
				t.Errorf("the steps change %+v, %v: the dear way is taken", steps, err)
			}
		})
	}
}

// kustomize ends by a panic where annotations are a list of one.
func TestAPanicOfKustomizeIsAnError(t *testing.T) {
	directory := &tree.Tree{}
	directory.Add("a.yaml", []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: [b]}}"))
	directory.Add(FileName, []byte("resources: [a.yaml]"))
	if built, err := Build(directory, "."); err == nil {
		t.Errorf("it builds: %s", built)
	}
}

// Flux's controller reads a kustomization and writes it anew before it builds.
func TestAListOfNothingBuilds(t *testing.T) {
	directory := &tree.Tree{}
	if err := WriteList(directory, ".", nil, ""); err != nil {
		t.Fatal(err)
	}
	var read types.Kustomization
	if err := yaml.Unmarshal(directory.Files()[0].Data, &read); err != nil {
		t.Fatal(err)
	}
	anew, err := yaml.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	byFlux := &tree.Tree{}
	byFlux.Add(FileName, anew)
	for who, directory := range map[string]*tree.Tree{"Argo CD": directory, "Flux": byFlux} {
		if built, err := Build(directory, "."); err != nil || len(built) > 0 {
			t.Errorf("%s builds %q, %v", who, built, err)
		}
	}
}
