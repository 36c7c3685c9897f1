package chartindex

import (
	"encoding/json"
	"strings"
	"testing"
)

// Each line of the later index is one difference.
func TestCompareSaysWhatIsDifferent(t *testing.T) {
	was, err := Parse([]byte(`{"chart": {"name": "demo", "version": "1.2.3"},
"subcharts": [{"path": "/sub", "name": "sub", "version": "1.0.0"}],
"values": [
{"path": "/gone", "type": "object", "origin": "values"},
{"path": "/gone/a", "type": "string", "origin": "values"},
{"path": "/open", "type": "object", "origin": "values", "open": true},
{"path": "/open/goneDefault", "type": "string", "origin": "values"},
{"path": "/retyped", "type": "string", "origin": "values"},
{"path": "/wider", "type": "integer", "origin": "values", "default": 1},
{"path": "/unread", "type": "string", "origin": "values"},
{"path": "/same", "type": "string", "origin": "values"},
{"path": "/nowRequired", "type": "string", "origin": "values"}
],
"objects": [{"apiVersion": "v1", "kind": "Secret", "scope": "Namespaced"}],
"hooks": [{"apiVersion": "batch/v1", "kind": "Job", "name": "old", "events": ["pre-delete"]}, {"apiVersion": "batch/v1", "kind": "Job", "name": "same", "events": ["pre-delete"]}],
"crds": [{"name": "a.example.com", "group": "example.com", "kind": "A", "plural": "a", "scope": "Cluster", "versions": ["v1alpha1"], "source": "crds"},
{"name": "b.example.com", "group": "example.com", "kind": "B", "plural": "b", "scope": "Cluster", "versions": ["v1"], "source": "crds"}],
"dynamic": [],
"images": [{"path": "/x/image", "image": "x:1"}, {"path": "/y/image", "image": "y:1"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	is, err := Parse([]byte(`{"chart": {"name": "demo", "version": "1.3.0"},
"subcharts": [{"path": "/sub", "name": "sub", "version": "1.1.0"}],
"values": [
{"path": "/open", "type": "object", "origin": "values", "open": true},
{"path": "/open/newDefault", "type": "string", "origin": "values"},
{"path": "/retyped", "type": "boolean", "origin": "values"},
{"path": "/wider", "type": "number", "origin": "values", "default": 2},
{"path": "/unread", "type": "string", "origin": "values", "unread": true},
{"path": "/same", "type": "string", "origin": "values"},
{"path": "/nowRequired", "type": "string", "origin": "values", "required": true},
{"path": "/new", "type": "object", "origin": "values"},
{"path": "/new/token", "type": "unknown", "origin": "template", "required": true}
],
"objects": [{"apiVersion": "v1", "kind": "ConfigMap", "scope": "Namespaced"}],
"hooks": [{"apiVersion": "batch/v1", "kind": "Job", "name": "same", "events": ["pre-delete"]}, {"apiVersion": "batch/v1", "kind": "Job", "name": "young", "events": ["pre-delete"]}],
"crds": [{"name": "a.example.com", "group": "example.com", "kind": "A", "plural": "a", "scope": "Cluster", "versions": ["v1alpha1", "v1"], "source": "crds"},
{"name": "c.example.com", "group": "example.com", "kind": "C", "plural": "c", "scope": "Cluster", "versions": ["v1"], "source": "crds"}],
"dynamic": [],
"images": [{"path": "/x/image", "image": "x:2"}, {"path": "/z/image", "image": "z:1"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]json.RawMessage{}
	data, err := json.Marshal(is.Compare(was))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{
		"gone":         `[{"path":"/gone","was":"object"}]`,
		"added":        `[{"path":"/new","is":"object"}]`,
		"changed":      `[{"path":"/retyped","was":"string","is":"boolean"},{"path":"/unread","was":"string","is":"read by no template"}]`,
		"defaults":     `[{"path":"/wider","was":1,"is":2}]`,
		"required":     `["/nowRequired","/new/token"]`,
		"hooksAdded":   `[{"apiVersion":"batch/v1","kind":"Job","name":"young","events":["pre-delete"]}]`,
		"hooksGone":    `[{"apiVersion":"batch/v1","kind":"Job","name":"old","events":["pre-delete"]}]`,
		"crds":         `[{"name":"a.example.com","was":["v1alpha1"],"is":["v1","v1alpha1"]},{"name":"b.example.com","was":["v1"]},{"name":"c.example.com","is":["v1"]}]`,
		"objectsAdded": `[{"apiVersion":"v1","kind":"ConfigMap","scope":"Namespaced"}]`,
		"objectsGone":  `[{"apiVersion":"v1","kind":"Secret","scope":"Namespaced"}]`,
		"images":       `[{"path":"/x/image","was":"x:1","is":"x:2"},{"path":"/y/image","was":"y:1"},{"path":"/z/image","is":"z:1"}]`,
		"subcharts":    `[{"path":"/sub","was":"sub 1.0.0","is":"sub 1.1.0"}]`,
	} {
		if string(got[field]) != want {
			t.Errorf("%s\n  is   %s\n  want %s", field, got[field], want)
		}
	}
	same, err := json.Marshal(was.Compare(was))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(same); strings.Count(text, "[]") != 12 {
		t.Errorf("a version differs from itself: %s", text)
	}
}

func TestHooksAreFoundByTheirNames(t *testing.T) {
	x := &Index{Hooks: []Hook{{Kind: "Job", Name: "*-prune", Events: []string{"post-delete"}}}}
	for hook, want := range map[[2]string]bool{
		{"Job/release-prune", "post-delete"}: true,
		{"Job/release-prune", "pre-delete"}:  false,
		{"Pod/release-prune", "post-delete"}: false,
		{"Job/release-clean", "post-delete"}: false,
	} {
		if got := x.HasHook(hook[0], hook[1]); got != want {
			t.Errorf("%v: %v", hook, got)
		}
	}
}
