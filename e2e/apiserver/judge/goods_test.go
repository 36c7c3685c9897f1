package judge_test

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gpugen/gpugen/generators"
)

// goods: what each rule calls good gives a tree that the server takes. They are
// small specs that differ in all that rules know of.
func (k *kubernetes) goods(t *testing.T) {
	rules := catalogue(t)
	seen := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		if rules[id].Good == nil {
			continue
		}
		spec := laidOver(fromYAML(t, readFile(t, baseFile)), rules[id].Good)
		facts, _ := spec["kubernetes"].(map[string]any)
		if version, _ := facts["version"].(string); !strings.HasPrefix(version, k.minor+".") {
			continue
		}
		t.Run(id, func(t *testing.T) {
			result, findings := generators.Render(fromJSON(t, spec))
			if result == nil {
				t.Fatal(findings)
			}
			files := asFiles(result.Tree)
			// Many differ in values only, which are not for this server.
			if text := manifests(files); !seen[text] {
				seen[text] = true
				k.acceptsRendered(t, load(t, files, external(t, result.Plan)...))
			}
		})
	}
}

func manifests(files fstest.MapFS) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) == ".yaml" && path.Base(name) != "values.yaml" {
			out.WriteString("# " + name + "\n" + string(files[name].Data))
		}
	}
	return out.String()
}
