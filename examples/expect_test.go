package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/examples"
)

const cluster = `
apiVersion: nvidia.com/v1alpha1
kind: NVIDIADriver
metadata: {name: train}
spec:
  default: false
  version: 580.95.05
  nodeSelector: {pool: train}
  tolerations:
  - {key: nvidia.com/gpu, operator: Exists}
  - {key: team, operator: Equal, value: a}
  replicas: 3
---
apiVersion: nvidia.com/v1alpha1
kind: NVIDIADriver
metadata: {name: infer}
spec: {default: false, version: 580.95.05, nodeSelector: {pool: infer}}
---
apiVersion: v1
kind: Namespace
metadata: {name: gpu-operator}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin, namespace: gpu-operator}
spec: {selector: {matchLabels: {app: plugin}}}
`

func clusterObjects(t *testing.T) map[string]any {
	t.Helper()
	documents, err := examples.Documents([]byte(cluster))
	if err != nil {
		t.Fatal(err)
	}
	var collection examples.Collection
	for _, document := range documents {
		if err := collection.Add("cluster", document); err != nil {
			t.Fatal(err)
		}
	}
	objects := collection.Keyed()
	objects[examples.ValuesKey("gpu-operator")] = map[string]any{"devicePlugin": map[string]any{"enabled": false}}
	return objects
}

// check evaluates the body of one expectation that has a source.
func check(t *testing.T, body string) ([]examples.Failure, error) {
	t.Helper()
	content := "package expect\n"
	for _, library := range []string{"list", "struct"} {
		if strings.Contains(body, library+".") {
			content += "import \"" + library + "\"\n"
		}
	}
	return checkFile(t, content+"tree: one: {source: \"https://example.com\"\n"+body+"\n}\n", examples.SectionTree)
}

func checkFile(t *testing.T, content, section string) ([]examples.Failure, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "expect.cue")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return examples.Check(file, section, clusterObjects(t))
}

func TestExpectationsThatHold(t *testing.T) {
	for name, body := range map[string]string{
		"exact value":                 `objects: "NVIDIADriver//train": spec: default: false`,
		"empty pattern: exists":       `objects: "Namespace//gpu-operator": {}`,
		"bound":                       `objects: "NVIDIADriver//train": spec: replicas: >2`,
		"regular expression":          `objects: "NVIDIADriver//train": spec: version: =~"^580\\."`,
		"type":                        `objects: "NVIDIADriver//train": spec: version: string`,
		"alternatives":                `objects: "NVIDIADriver//train": spec: version: "1" | "580.95.05"`,
		"alternative structs":         `objects: "NVIDIADriver//train": spec: nodeSelector: {pool: "x"} | {pool: "train"}`,
		"whole list":                  `objects: "NVIDIADriver//train": spec: tolerations: [{key: "nvidia.com/gpu", operator: "Exists"}, {key: "team", ...}]`,
		"beginning of a list":         `objects: "NVIDIADriver//train": spec: tolerations: [{key: "nvidia.com/gpu"}, ...]`,
		"each item":                   `objects: "NVIDIADriver//train": spec: tolerations: [...{operator: "Exists" | "Equal"}]`,
		"some item":                   "objects: \"NVIDIADriver//train\": spec: tolerations: list.MatchN(1, {value: \"a\"})",
		"list and validator":          `objects: "NVIDIADriver//train": spec: tolerations: [...] & list.MaxItems(2)`,
		"struct and validator":        `objects: "NVIDIADriver//train": spec: nodeSelector: {pool: string} & struct.MaxFields(1)`,
		"optional field":              `objects: "NVIDIADriver//train": spec: {other?: 1, replicas?: 3}`,
		"two patterns":                "objects: \"NVIDIADriver//train\": spec: replicas: >2\nobjects: \"NVIDIADriver//train\": spec: replicas: <4",
		"every field of a struct":     `objects: "NVIDIADriver//train": spec: nodeSelector: [string]: =~"^[a-z]+$"`,
		"glob":                        `objects: "NVIDIADriver/*/*": spec: default: false`,
		"values":                      `objects: "values/gpu-operator": devicePlugin: enabled: false`,
		"values by glob":              `objects: "values/*": devicePlugin: enabled: false`,
		"reference to another object": `objects: "NVIDIADriver//train": spec: version: all["NVIDIADriver//infer"].spec.version`,
		"absent":                      `absent: ["Job/*/*", "DaemonSet/default/*"]`,
		"count":                       `count: {"NVIDIADriver//*": 2, "Job/*/*": 0}`,
		"expression":                  `holds: [len(all["NVIDIADriver//train"].spec.tolerations) == 2]`,
		"expression over all objects": `holds: [for key, object in all if object.kind != _|_ if object.kind == "NVIDIADriver" {object.spec.default == false}]`,
	} {
		t.Run(name, func(t *testing.T) {
			failures, err := check(t, body)
			if err != nil || len(failures) > 0 {
				t.Errorf("does not hold: %v %v", failures, err)
			}
		})
	}
}

func TestExpectationsThatFailNameKeyAndPath(t *testing.T) {
	for name, test := range map[string]struct{ body, key, path string }{
		"other value":               {`objects: "NVIDIADriver//train": spec: default: true`, "NVIDIADriver//train", "spec.default"},
		"missing field":             {`objects: "NVIDIADriver//train": spec: driverType: string`, "NVIDIADriver//train", "spec.driverType"},
		"missing field, any value":  {`objects: "NVIDIADriver//train": spec: driverType: _`, "NVIDIADriver//train", "spec.driverType"},
		"missing label":             {`objects: "NVIDIADriver//train": metadata: labels: "a.b/c": "d"`, "NVIDIADriver//train", "metadata.labels"},
		"missing object":            {`objects: "NVIDIADriver//other": {}`, "NVIDIADriver//other", ""},
		"glob that matches nothing": {`objects: "Job/*/*": {}`, "Job/*/*", ""},
		"one of a glob":             {`objects: "NVIDIADriver/*/*": spec: nodeSelector: pool: "train"`, "NVIDIADriver//infer", "spec.nodeSelector.pool"},
		"out of bounds":             {`objects: "NVIDIADriver//train": spec: replicas: >3`, "NVIDIADriver//train", "spec.replicas"},
		"not a struct":              {`objects: "NVIDIADriver//train": spec: version: {}`, "NVIDIADriver//train", "spec.version"},
		"not a list":                {`objects: "NVIDIADriver//train": spec: version: [...]`, "NVIDIADriver//train", "spec.version"},
		"no alternative":            {`objects: "NVIDIADriver//train": spec: version: "1" | "2"`, "NVIDIADriver//train", "spec.version"},
		"alternative lacks a field": {`objects: "NVIDIADriver//train": spec: nodeSelector: {a: "x"} | {b: "x"}`, "NVIDIADriver//train", "spec.nodeSelector"},
		"list too long":             {`objects: "NVIDIADriver//train": spec: tolerations: [{key: "nvidia.com/gpu"}]`, "NVIDIADriver//train", "spec.tolerations"},
		"list too short":            {`objects: "NVIDIADriver//train": spec: tolerations: [_, _, _, ...]`, "NVIDIADriver//train", "spec.tolerations"},
		"field missing in an item":  {`objects: "NVIDIADriver//train": spec: tolerations: [...{value: string}]`, "NVIDIADriver//train", "spec.tolerations[0].value"},
		"no such item":              {`objects: "NVIDIADriver//train": spec: tolerations: list.MatchN(>0, {value: "b"})`, "NVIDIADriver//train", "spec.tolerations"},
		"item lacks the field":      {`objects: "NVIDIADriver//train": spec: tolerations: list.MatchN(2, {value: string})`, "NVIDIADriver//train", "spec.tolerations"},
		"some field of a struct":    {`objects: "NVIDIADriver//train": spec: nodeSelector: [string]: "other"`, "NVIDIADriver//train", "spec.nodeSelector"},
		"other optional field":      {`objects: "NVIDIADriver//train": spec: replicas?: 4`, "NVIDIADriver//train", "spec"},
		"list validator":            {`objects: "NVIDIADriver//train": spec: tolerations: [...] & list.MaxItems(1)`, "NVIDIADriver//train", "spec.tolerations"},
		"struct validator":          {`objects: "NVIDIADriver//train": spec: {default: false} & struct.MaxFields(1)`, "NVIDIADriver//train", "spec"},
		"second of two patterns":    {"objects: \"NVIDIADriver//train\": spec: replicas: >2\nobjects: \"NVIDIADriver//train\": spec: replicas: <3", "NVIDIADriver//train", "spec.replicas"},
		"present":                   {`absent: ["DaemonSet/*/plug*"]`, "DaemonSet/gpu-operator/plugin", ""},
		"count":                     {`count: "NVIDIADriver/*/*": 3`, "NVIDIADriver/*/*", ""},
		"false expression":          {`holds: [true, all["NVIDIADriver//train"].spec.default]`, "", "holds[1]"},
	} {
		t.Run(name, func(t *testing.T) {
			failures, err := check(t, test.body)
			if err != nil {
				t.Fatal(err)
			}
			if len(failures) != 1 {
				t.Fatalf("want one failure, got %v", failures)
			}
			got := failures[0]
			if got.Expectation != "one" || got.Source != "https://example.com" || got.Key != test.key || got.Path != test.path {
				t.Errorf("got %+v", got)
			}
			if got.Wanted == "" || got.Got == "" {
				t.Errorf("says not what was wanted or found: %+v", got)
			}
		})
	}
}

func TestWrongExpectationsAreErrors(t *testing.T) {
	for name, body := range map[string]string{
		"misspelt field":                   `object: "NVIDIADriver//train": {}`,
		"states nothing":                   ``,
		"empty objects":                    `objects: {}`,
		"empty absent":                     `absent: []`,
		"expression over a missing object": `holds: [all["NVIDIADriver//gone"].spec.default]`,
		"expression without a value":       `holds: [bool]`,
		"comprehension that finds nothing": `holds: [for key, object in all if key == "x" {true}]`,
		"expression that is no boolean":    `holds: ["yes"]`,
		"count without a value":            `count: "NVIDIADriver/*/*": int`,
		"pattern from a missing object":    `objects: "NVIDIADriver//train": spec: version: all["NVIDIADriver//gone"].spec.version`,
		"pattern that nothing satisfies":   `objects: "NVIDIADriver//train": spec: replicas: >5 & <3`,
		"key with too few parts":           `objects: "NVIDIADriver/train": {}`,
		"absent with too few parts":        `absent: ["DaemonSet"]`,
		"broken glob":                      `absent: ["DaemonSet/*/[a"]`,
		"unknown reference":                `holds: [some["NVIDIADriver//train"].spec.default]`,
	} {
		t.Run(name, func(t *testing.T) {
			if failures, err := check(t, body); err == nil {
				t.Errorf("no error; failures %v", failures)
			}
		})
	}
}

func TestWrongFilesAreErrors(t *testing.T) {
	for name, content := range map[string]string{
		"no source":        "package expect\ntree: one: absent: [\"Job/*/*\"]\n",
		"empty source":     "package expect\ntree: one: {source: \"\", absent: [\"Job/*/*\"]}\n",
		"misspelt section": "package expect\ntrees: one: {source: \"https://example.com\", absent: [\"Job/*/*\"]}\n",
		"other package":    "package cluster\ntree: one: {source: \"https://example.com\", absent: [\"Job/*/*\"]}\n",
		"no CUE":           "package expect\ntree: [\n",
	} {
		t.Run(name, func(t *testing.T) {
			if failures, err := checkFile(t, content, examples.SectionTree); err == nil {
				t.Errorf("no error; failures %v", failures)
			}
		})
	}
	if _, err := checkFile(t, "package expect\n", "chart"); err == nil {
		t.Error("an unknown section is no error")
	}
}

func TestWhatManyExamplesShareIsJudgedInEach(t *testing.T) {
	dir := t.TempDir()
	const shared = "package expect\nall: _\n_pool: string\ntree: shared: {source: \"https://example.com\", objects: \"NVIDIADriver//\\(_pool)\": {}}\n"
	for name, content := range map[string]string{
		"drivers.expect.cue": shared,
		"one/expect.cue":     "@with(drivers)\n\npackage expect\n_pool: \"train\"\n",
		"two/expect.cue":     "@with(drivers)\n\npackage expect\n_pool: \"nobody\"\n",
		"alone/expect.cue":   "package expect\n_pool: \"nobody\"\n",
		"wrong/expect.cue":   "@with(none)\n\npackage expect\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int{"one": 0, "two": 1, "alone": 0} {
		failures, err := examples.Check(filepath.Join(dir, name, "expect.cue"), examples.SectionTree, clusterObjects(t))
		if err != nil || len(failures) != want {
			t.Errorf("%s: %v %v, want %d failures", name, failures, err, want)
		}
	}
	if _, err := examples.Check(filepath.Join(dir, "wrong", "expect.cue"), examples.SectionTree, clusterObjects(t)); err == nil {
		t.Error("a file that is not there is no error")
	}
}

func TestSectionsAreJudgedApart(t *testing.T) {
	content := `package expect
tree: one: {source: "https://example.com", absent: ["Job/*/*"]}
charts: two: {source: "https://example.com", objects: "Job/a/b": {}}
`
	if failures, err := checkFile(t, content, examples.SectionTree); err != nil || len(failures) > 0 {
		t.Errorf("tree: %v %v", failures, err)
	}
	failures, err := checkFile(t, content, examples.SectionCharts)
	if err != nil || len(failures) != 1 || failures[0].Expectation != "two" {
		t.Errorf("charts: %v %v", failures, err)
	}
}

func TestStatementsLeaveOutTheSource(t *testing.T) {
	file := filepath.Join(t.TempDir(), "expect.cue")
	content := `package expect
tree: {
	one: {source: "https://example.com/1", absent: ["Job/*/*"]}
	two: {source: "https://example.com/2", absent: ["Job/*/*"]}
	three: {source: "https://example.com/1", absent: ["Job/*/x"]}
	for team in ["a", "b"] {"four-\(team)": {source: "https://example.com/1", absent: ["Job/\(team)/*"]}}
	five: {source: "https://example.com/1", holds: [for key, object in all if object.kind == "Job" {object.spec.suspend}]}
}
`
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := examples.Statements(file, examples.SectionTree)
	if err != nil {
		t.Fatal(err)
	}
	distinct := map[string]bool{}
	for _, content := range said {
		distinct[content] = true
	}
	if len(said) != 6 || said["one"] != said["two"] || len(distinct) != 5 {
		t.Errorf("got %q", said)
	}
}
