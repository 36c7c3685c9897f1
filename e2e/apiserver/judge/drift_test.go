package judge

import (
	"encoding/json"
	"testing"
)

func TestOnlyWhatTheServerMakesOtherwiseIsDrift(t *testing.T) {
	for name, test := range map[string]struct {
		ours, live string
		custom     bool
		want       string
	}{
		"the same":                          {`{"spec":{"a":[1,{"b":"c"}]}}`, `{"spec":{"a":[1,{"b":"c"}]}}`, true, ""},
		"a field that the server fills in":  {`{"spec":{"a":[{}]}}`, `{"spec":{"a":[{"b":1}]}}`, true, ""},
		"a number written as another":       {`{"spec":{"a":1}}`, `{"spec":{"a":1.0}}`, true, ""},
		"null asks for the default":         {`{"spec":{"a":null}}`, `{"spec":{"a":10}}`, false, ""},
		"empty in a kind of Kubernetes":     {`{"spec":{"a":false,"b":"","c":[],"d":{}}}`, `{"spec":{}}`, false, ""},
		"empty in a custom resource":        {`{"spec":{"a":false}}`, `{"spec":{}}`, true, "spec.a"},
		"another value":                     {`{"spec":{"a":[{"b":"1000m"}]}}`, `{"spec":{"a":[{"b":"1"}]}}`, false, "spec.a[0].b"},
		"a list that has one more":          {`{"spec":{"a":[1]}}`, `{"spec":{"a":[1,2]}}`, false, "spec.a"},
		"a field that the server took away": {`{"metadata":{"labels":{"a.b/c":"d"}}}`, `{"metadata":{}}`, false, "metadata.labels"},
		"a list that is something else":     {`{"spec":{"a":[1]}}`, `{"spec":{"a":"1"}}`, false, "spec.a"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, one := range changed(object(t, test.ours), object(t, test.live), test.custom) {
				got += one.field
			}
			if got != test.want {
				t.Errorf("want %q, got %q", test.want, got)
			}
		})
	}
}

// A default within a list is a difference for ever, unless Argo CD looks away.
func TestDefaultsInListsOfCustomResources(t *testing.T) {
	ours, live := object(t, `{"spec":{"a":1,"list":[{"b":"c"}]}}`), object(t, `{"spec":{"a":1,"own":2,"list":[{"b":"c","d":true}]}}`)
	pointer := func(p string) *application {
		return &application{ignored: []ignored{{kind: "Thing", pointers: []string{p}}}}
	}
	for name, test := range map[string]struct {
		application *application
		custom      bool
		want        string
		ignored     int
	}{
		"Argo CD compares by itself":     {&application{}, true, "spec.list[0].d", 0},
		"a kind of Kubernetes":           {&application{}, false, "", 0},
		"Argo CD compares by the server": {&application{serverSideDiff: true}, true, "", 0},
		"the field is ignored":           {pointer("/spec/list/0/d"), true, "", 1},
		"what it is in is ignored":       {pointer("/spec/list"), true, "", 1},
		"all of it is ignored":           {pointer("/spec"), true, "", 2},
		"another field is ignored":       {pointer("/spec/lis"), true, "spec.list[0].d", 0},
		"what a person applies":          {nil, true, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := &Document{File: "f", Object: newObject("example.com/v1", "Thing", "", "a")}
			var r Report
			r.addDefaults(d, test.application, defaulted(ours, live), test.custom)
			got := ""
			for _, problem := range r.Problems {
				got += problem.Field
			}
			if got != test.want || len(r.Defaulted) != 2-test.ignored {
				t.Errorf("want %q and %d ignored, got %q and %v", test.want, test.ignored, got, r.Defaulted)
			}
		})
	}
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
