package facts_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"sigs.k8s.io/yaml"
)

// Every fact, as it resolves, is recorded: most of them no example needs, and what a change
// of a file changes in others is seen in a review. Where they come from and what is said of
// them to people is left out.
//
//	GPUGEN_UPDATE=1 go test -count=1 ./schema/facts -run Recorded
func TestFactsAreRecorded(t *testing.T) {
	for file, dir := range map[string]string{"facts.yaml": "./schema/facts", "charts.yaml": "./schema/facts/charts"} {
		data, err := cuecontext.New().BuildInstance(loadPackage(t, dir)[0]).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		read := json.NewDecoder(bytes.NewReader(data))
		read.UseNumber()
		var facts map[string]any
		if err := read.Decode(&facts); err != nil {
			t.Fatal(err)
		}
		leaveOut(facts)
		got := record(t, facts)
		name := filepath.Join("testdata", file)
		if os.Getenv("GPUGEN_UPDATE") != "" {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		was, is := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
		for _, line := range was {
			if !slices.Contains(is, line) {
				t.Errorf("%s has what is no fact:\n%s", name, line)
			}
		}
		for _, line := range is {
			if !slices.Contains(was, line) {
				t.Errorf("%s lacks the fact:\n%s", name, line)
			}
		}
	}
}

// leaveOut takes out what only people read.
func leaveOut(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "source")
		delete(v, "sources")
		if v["unconfirmed"] != nil {
			v["unconfirmed"] = true // rules ask whether there is one
		}
		for _, e := range v {
			leaveOut(e)
		}
	case []any:
		for _, e := range v {
			leaveOut(e)
		}
	}
}

// record is YAML with a line for each fact of the second level, such as a GPU model.
func record(t *testing.T, facts map[string]any) []byte {
	t.Helper()
	var out bytes.Buffer
	text := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, area := range slices.Sorted(maps.Keys(facts)) {
		below, ok := facts[area].(map[string]any)
		if !ok || len(below) == 0 {
			out.WriteString(area + ": " + text(facts[area]) + "\n")
			continue
		}
		out.WriteString(area + ":\n")
		for _, key := range slices.Sorted(maps.Keys(below)) {
			out.WriteString("  " + text(key) + ": " + text(below[key]) + "\n")
		}
	}
	if _, err := yaml.YAMLToJSON(out.Bytes()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
