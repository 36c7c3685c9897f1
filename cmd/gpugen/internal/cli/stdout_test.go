package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/examples"
)

// warned is a good spec that one warning has to be said about.
const warned = `package cluster

nodePools: train: sharing: {strategy: "time-slicing", replicas: 4, failRequestsGreaterThanOne: false}
`

// Whoever pipes standard output into another program must get the product and
// nothing else, whatever there is to say besides.
func TestStandardOutputHoldsOnlyTheProduct(t *testing.T) {
	spec := warnedSpec(t)
	for _, args := range [][]string{
		{"render", spec},
		{"render", spec, "--component", "gpu-operator"},
		{"render", spec, "--component", "argocd"},
	} {
		out, errOut := mustRun(t, args...)
		documents, err := examples.Documents([]byte(out))
		if err != nil || len(documents) == 0 {
			t.Errorf("gpugen %s: %d objects (%v)", strings.Join(args, " "), len(documents), err)
		}
		for _, document := range documents {
			if document["kind"] == nil {
				t.Errorf("gpugen %s: no object: %v", strings.Join(args, " "), document)
			}
		}
		if !strings.Contains(errOut, "SHARE-008") {
			t.Errorf("gpugen %s: no warning on standard error: %q", strings.Join(args, " "), errOut)
		}
	}
	for _, args := range [][]string{
		{"vet", spec, "--format", "json"},
		{"rules", "--format", "json"},
		{"rules", "DRIVER-001", "--format", "json"},
		{"components", "--format", "json"},
		{"components", spec, "--format", "json"},
	} {
		out, _ := mustRun(t, args...)
		if !json.Valid([]byte(out)) {
			t.Errorf("gpugen %s: no JSON: %s", strings.Join(args, " "), out)
		}
	}
	for _, args := range [][]string{
		{"render", spec, "-o", filepath.Join(t.TempDir(), "tree")},
		{"init", filepath.Join(t.TempDir(), "mine")},
	} {
		if out, _ := mustRun(t, args...); out != "" {
			t.Errorf("gpugen %s: standard output holds %q", strings.Join(args, " "), out)
		}
	}
}

func warnedSpec(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/specs/good")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "warned.cue"), []byte(warned), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// mustRun runs a command line that must end well.
func mustRun(t *testing.T, args ...string) (out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := Main(args, strings.NewReader(""), &stdout, &stderr); code != exitOK {
		t.Fatalf("gpugen %s: exit code %d: %s%s", strings.Join(args, " "), code, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

// A pipe that is closed, or a disk that is full, must not look like success.
func TestWhatCannotBePrintedIsAnError(t *testing.T) {
	spec := filepath.Join("testdata", "specs", "good")
	for _, args := range [][]string{
		{"render", spec},
		{"render", spec, "--component", "gpu-operator"},
		{"vet", spec, "--format", "json"},
		{"rules"},
		{"rules", "DRIVER-001"},
		{"components"},
		{"version"},
	} {
		var stderr bytes.Buffer
		if code := Main(args, strings.NewReader(""), full{}, &stderr); code != exitCannot || !strings.Contains(stderr.String(), errFull.Error()) {
			t.Errorf("gpugen %s: exit code %d, says %q", strings.Join(args, " "), code, stderr.String())
		}
	}
}

var errFull = errors.New("no space left on device")

// full takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
