package judge_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/internal/anyspec"
	"github.com/gpugen/gpugen/schema"
)

// examples: each example, written for this Kubernetes version instead of its own,
// is either refused by gpugen itself or gives a tree that the server takes.
func (k *kubernetes) examples(t *testing.T) {
	for _, dir := range foldersWith(t, examplesDir, "cluster.cue", "cluster.yaml") {
		t.Run(dir, func(t *testing.T) {
			spec, own := k.read.withKubernetes(t, path.Join(examplesDir, dir), k.minor)
			result, findings := generators.Render(inFolder(t, path.Join(examplesDir, dir), spec))
			if result != nil {
				k.acceptsRendered(t, load(t, asFiles(result.Tree), external(t, result.Plan)...))
				return
			}
			if strings.HasPrefix(own, k.minor+".") {
				t.Errorf("gpugen refuses it on its own version %s: %v", own, findings)
			}
			for _, finding := range findings {
				t.Logf("gpugen says no: %s: %s", finding.ID, finding.Message)
			}
		})
	}
}

// examplesData is what was learned of examples once: every server asks for it.
type examplesData struct {
	// external charts by example, specs as plain data by folder.
	external map[string][]crd.ChartVersion
	specs    map[string]map[string]any
	// random specs.
	random *anyspec.Source
}

// withKubernetes reads an example as plain data with kubernetes.version set to a
// patch release of the minor, and returns the version that was there as well.
func (e *examplesData) withKubernetes(t *testing.T, dir, minor string) (spec map[string]any, own string) {
	t.Helper()
	if e.specs[dir] == nil {
		cluster, findings := schema.Evaluate(schema.Input{Path: dir})
		if cluster == nil || findings.HasErrors() {
			t.Fatalf("%s: %v", dir, findings)
		}
		e.specs[dir] = cluster.Spec.Data
	}
	facts, _ := e.specs[dir]["kubernetes"].(map[string]any)
	own, _ = facts["version"].(string)
	if own == "" {
		t.Fatalf("%s does not say kubernetes.version", dir)
	}
	version := minor + own[strings.LastIndex(own, "."):]
	return laidOver(e.specs[dir], map[string]any{"kubernetes": map[string]any{"version": version}}), own
}

func fromJSON(t *testing.T, spec map[string]any) schema.Input {
	t.Helper()
	data, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	return schema.Input{Path: "-", Stdin: bytes.NewReader(data)}
}

// inFolder is a spec in a copy of an example's folder, whose site knowledge counts.
func inFolder(t *testing.T, dir string, spec map[string]any) schema.Input {
	t.Helper()
	if _, err := os.Stat(path.Join(dir, "gpugen")); err != nil {
		return fromJSON(t, spec)
	}
	data, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	// JSON is YAML.
	if err := os.WriteFile(filepath.Join(copied, "cluster.yaml"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return schema.Input{Path: copied}
}

func asFiles(t *tree.Tree) fstest.MapFS {
	out := fstest.MapFS{}
	for _, file := range t.Files() {
		out[file.Path] = &fstest.MapFile{Data: file.Data}
	}
	return out
}
