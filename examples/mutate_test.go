package examples_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/examples"
)

func TestMutationsAreTheSameForTheSameSeed(t *testing.T) {
	describe := func(seed uint64) []string {
		var out []string
		for _, m := range examples.Mutate(clusterObjects(t), seed, 8) {
			out = append(out, m.Description)
		}
		return out
	}
	if first, second := describe(1), describe(1); !slices.Equal(first, second) {
		t.Errorf("seed 1 gave\n%q and\n%q", first, second)
	}
	if first, other := describe(1), describe(2); slices.Equal(first, other) {
		t.Errorf("seeds 1 and 2 gave the same edits: %q", first)
	}
}

func TestMutationsChangeACopyInOnePlace(t *testing.T) {
	objects := clusterObjects(t)
	mutations := examples.Mutate(objects, 1, 1000)
	if len(mutations) == 0 || len(mutations) == 1000 {
		t.Fatalf("%d edits to a small tree", len(mutations))
	}
	for _, m := range mutations {
		if m.Description == "" || !strings.Contains(m.Description, m.Key) {
			t.Errorf("description %q does not name %s", m.Description, m.Key)
		}
		changed := m.Apply(objects)
		if !reflect.DeepEqual(objects, clusterObjects(t)) {
			t.Fatalf("%s: changed the original", m.Description)
		}
		different := 0
		for key := range objects {
			if !reflect.DeepEqual(objects[key], changed[key]) {
				different++
			}
		}
		if different != 1 {
			t.Errorf("%s: %d objects differ", m.Description, different)
		}
	}
}

func TestMutationsSpreadOverKindsAndObjects(t *testing.T) {
	kinds, keys := map[string]int{}, map[string]int{}
	for _, m := range examples.Mutate(clusterObjects(t), 1, 12) {
		kinds[m.Kind]++
		keys[m.Key]++
	}
	// The little cluster has something for each kind of edit, and four objects
	// with anything to edit.
	if len(kinds) != 6 || len(keys) != 4 {
		t.Errorf("kinds %v, objects %v", kinds, keys)
	}
}

func TestEditsOfEachKind(t *testing.T) {
	object := func(text string) map[string]any {
		documents, err := examples.Documents([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return map[string]any{"values/x": documents[0]}
	}
	for _, test := range []struct{ kind, before, after string }{
		{"flip a boolean", "{a: {b: true}}", "{a: {b: false}}"},
		{"drop a selector", "{nodeSelector: {pool: a}}", "{nodeSelector: {}}|{}"},
		{"drop a selector", "{labelSelector: {matchLabels: {a: b}}}", "{labelSelector: {}}|{}|{labelSelector: {matchLabels: {}}}"},
		{"change a version", "{version: v26.3.3}", "{version: v26.3.4}"},
		{"change a version", "{image: 'nvcr.io/nvidia/driver:580.95.05'}", "{image: 'nvcr.io/nvidia/driver:580.95.6'}"},
		{"change a version", "{image: 'localhost:5000/a/b:main'}", "{image: 'localhost:5000/a/b:main-1'}"},
		{"change an enum", "{strategy: mixed}", "{strategy: mixedX}"},
		{"drop a list entry", "{a: [1, 2]}", "{a: [1]}|{a: [2]}"},
		{"change a namespace", "{destination: {namespace: a-b}}", "{destination: {namespace: a-b-x}}"},
	} {
		objects := object(test.before)
		mutations := examples.Mutate(objects, 1, 100)
		var wanted []any
		for alternative := range strings.SplitSeq(test.after, "|") {
			wanted = append(wanted, object(alternative)["values/x"])
		}
		if len(mutations) != len(wanted) {
			t.Errorf("%s: %d edits, want %d", test.before, len(mutations), len(wanted))
		}
		for _, m := range mutations {
			got := m.Apply(objects)["values/x"]
			if m.Kind != test.kind || !slices.ContainsFunc(wanted, func(one any) bool { return reflect.DeepEqual(one, got) }) {
				t.Errorf("%s: %s", test.before, m.Description)
			}
		}
	}
}

func TestAChangedNamespaceMovesTheObject(t *testing.T) {
	objects := clusterObjects(t)
	for _, m := range examples.Mutate(objects, 1, 1000) {
		if m.Kind != "change a namespace" {
			continue
		}
		changed := m.Apply(objects)
		if changed["DaemonSet/gpu-operator/plugin"] != nil || changed["DaemonSet/gpu-operator-x/plugin"] == nil {
			t.Errorf("%s: the object has its old key", m.Description)
		}
		return
	}
	t.Error("no edit changes the namespace")
}
