package schema

import (
	"os"
	"slices"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema/diag"
)

const recordedFile = "testdata/rules/findings.yaml"

// recordedFinding is a finding in a rule's bad without its words: where it is, and
// which other places have a part in it.
type recordedFinding struct {
	At       string
	Severity string   `yaml:",omitempty"`
	Also     []string `yaml:",flow,omitempty"`
}

// recorded are the findings of each rule's bad. A review reads what changes in the
// file; nothing else holds a finding to its other places.
var recorded = struct {
	sync.Mutex
	read func() (map[string][]recordedFinding, error)
	// found replace what is read, where golden files are rewritten.
	found map[string][]recordedFinding
}{read: sync.OnceValues(readRecorded), found: map[string][]recordedFinding{}}

// rewrites tells whether tests rewrite what they compare with.
func rewrites() bool { return os.Getenv("GPUGEN_UPDATE") != "" }

func readRecorded() (map[string][]recordedFinding, error) {
	data, err := os.ReadFile(recordedFile)
	if err != nil {
		return nil, err
	}
	var out map[string][]recordedFinding
	return out, yaml.Unmarshal(data, &out)
}

// asRecorded compares the findings of a rule's bad with what the file has of it.
func asRecorded(t *testing.T, r Rule, found diag.List) {
	t.Helper()
	var got []recordedFinding
	for _, f := range found {
		if f.ID == r.ID {
			g := recordedFinding{At: f.Path, Also: pathsOf(f.Also)}
			if f.Severity != r.Severity {
				g.Severity = string(f.Severity)
			}
			got = append(got, g)
		}
	}
	if rewrites() {
		recorded.Lock()
		defer recorded.Unlock()
		recorded.found[r.ID] = got
		return
	}
	all, err := recorded.read()
	if err != nil {
		t.Fatal(err)
	}
	// TestFindingsAreRecorded tells of rules that the file lacks.
	if want, ok := all[r.ID]; ok && !slices.EqualFunc(got, want, func(a, b recordedFinding) bool {
		return a.At == b.At && a.Severity == b.Severity && slices.Equal(a.Also, b.Also)
	}) {
		t.Errorf("found at %+v, %s has %+v: GPUGEN_UPDATE=1 go test ./schema -run 'TestRules/%s$' rewrites it", got, recordedFile, want, r.ID)
	}
}

// rewriteRecorded lays what was found over the file.
func rewriteRecorded(t *testing.T) {
	if len(recorded.found) == 0 {
		return
	}
	all, err := recorded.read()
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	out := map[string][]recordedFinding{}
	for _, r := range catalogueRules() {
		if found, ok := recorded.found[r.ID]; ok {
			out[r.ID] = found
		} else if old, ok := all[r.ID]; ok {
			out[r.ID] = old
		}
	}
	data, err := yaml.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	head := "# Where each rule's bad is found, and the other places of the finding; a severity that is not the rule's.\n# GPUGEN_UPDATE=1 go test ./schema -run TestRules rewrites it.\n"
	if err := os.WriteFile(recordedFile, append([]byte(head), data...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every rule's findings are in the file, and nobody else's.
func TestFindingsAreRecorded(t *testing.T) {
	if rewrites() {
		t.Skip("the file is being rewritten")
	}
	all, err := recorded.read()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range catalogueRules() {
		if _, ok := all[r.ID]; !ok {
			t.Errorf("%s is not in %s: GPUGEN_UPDATE=1 go test ./schema -run 'TestRules/%s$' records it", r.ID, recordedFile, r.ID)
		}
		delete(all, r.ID)
	}
	for id := range all {
		t.Errorf("%s is in %s, and no rule", id, recordedFile)
	}
}
