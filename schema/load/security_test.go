package load

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

// goodCUE is a spec in one line a field, to which tests add.
const goodCUE = `package cluster
name: "research"
kubernetes: {version: "1.34.2", distribution: "kubeadm"}
gitops: {repoURL: "https://git.example.com/platform/gpu.git", path: "clusters/research/tree"}
nodePools: train: {gpu: {model: "h100-sxm-80gb", count: 8}, os: {name: "ubuntu", version: "24.04"}, driver: source: "operator"}
`

const testModule = "module: \"example.com/m@v0\"\nlanguage: version: \"v0.14.0\"\n"

// secret is what lies outside of the module and must not be seen.
const secret = "token-that-must-not-be-seen"

func TestNothingOutsideOfTheModuleIsRead(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		// links from a path below the module to one below the whole directory.
		links map[string]string
		want  []string
	}{
		{
			name:  "linked CUE file",
			files: map[string]string{"m/a.cue": goodCUE, "out/b.cue": "package cluster\nname: \"" + secret + "\"\n"},
			links: map[string]string{"m/b.cue": "out/b.cue"},
			want:  []string{"m/b.cue:1:1 SPEC-012"},
		},
		{
			name:  "linked CUE file with a syntax error",
			files: map[string]string{"m/a.cue": goodCUE, "out/b.cue": "package cluster\n" + secret + " }\n"},
			links: map[string]string{"m/b.cue": "out/b.cue"},
			want:  []string{"m/b.cue:1:1 SPEC-012"},
		},
		{
			name:  "linked YAML spec",
			files: map[string]string{"m/x": "", "out/c.yaml": "name: " + secret + "\n"},
			links: map[string]string{"m/cluster.yaml": "out/c.yaml"},
			want:  []string{"m/cluster.yaml:1:1 SPEC-012"},
		},
		{
			name:  "embedded link",
			files: map[string]string{"m/a.cue": "@extern(embed)\n" + goodCUE + "components: \"gpu-operator\": values: _ @embed(file=\"t.json\")\n", "out/t.json": "{\"a\": \"" + secret + "\"}"},
			links: map[string]string{"m/t.json": "out/t.json"},
			want:  []string{"m/a.cue:7:39 SPEC-012"},
		},
		{
			name:  "embedded file in a linked directory",
			files: map[string]string{"m/a.cue": "@extern(embed)\n" + goodCUE + "components: \"gpu-operator\": values: _ @embed(file=d/t.json)\n", "out/t.json": "{\"a\": \"" + secret + "\"}"},
			links: map[string]string{"m/d": "out"},
			want:  []string{"m/a.cue:7:39 SPEC-012"},
		},
		{
			name:  "embedded glob",
			files: map[string]string{"m/a.cue": "@extern(embed)\n" + goodCUE + "components: \"gpu-operator\": values: _ @embed(glob=\"d/*.txt\", type=text)\n", "m/d/ok.txt": "x", "out/t.txt": secret},
			links: map[string]string{"m/d/t.txt": "out/t.txt"},
			want:  []string{"m/a.cue:7:39 SPEC-012"},
		},
		{
			name:  "import through a linked directory",
			files: map[string]string{"m/a.cue": "package cluster\nimport \"example.com/m/d\"\n" + strings.TrimPrefix(goodCUE, "package cluster\n") + "components: \"gpu-operator\": values: a: d.x\n", "out/d.cue": "package d\nx: \"" + secret + "\"\n"},
			links: map[string]string{"m/d": "out"},
			want:  []string{"m/a.cue:2:8 SPEC-012"},
		},
		{
			name:  "embed in an imported package",
			files: map[string]string{"m/a.cue": "package cluster\nimport \"example.com/m/d\"\n" + strings.TrimPrefix(goodCUE, "package cluster\n") + "components: \"gpu-operator\": values: a: d.x\n", "m/d/d.cue": "@extern(embed)\npackage d\nx: _ @embed(file=t.txt, type=text)\n", "out/t.txt": secret},
			links: map[string]string{"m/d/t.txt": "out/t.txt"},
			want:  []string{"m/d/d.cue:3:6 SPEC-012"},
		},
		{
			name:  "linked module file",
			files: map[string]string{"m/a.cue": goodCUE, "m/cue.mod/x": "", "out/module.cue": "module: \"" + secret + "\n"},
			links: map[string]string{"m/cue.mod/module.cue": "out/module.cue"},
			want:  []string{"m/cue.mod/module.cue:1:1 SPEC-012"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"m/cue.mod/module.cue": testModule}
			if c.links["m/cue.mod/module.cue"] != "" {
				delete(files, "m/cue.mod/module.cue")
			}
			for name, text := range c.files {
				files[name] = text
			}
			dir := spectest.WriteFiles(t, files)
			for from, to := range c.links {
				if err := os.Symlink(filepath.Join(dir, to), filepath.Join(dir, from)); err != nil {
					t.Fatal(err)
				}
			}
			spec, found := loaderForTest(t).load(source.Input{Path: "m"})
			if got := spectest.Brief(found); !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v\n%+v", got, c.want, found)
			}
			printed, err := json.Marshal(found)
			if err != nil {
				t.Fatal(err)
			}
			if spec != nil {
				printed = append(printed, fmt.Sprint(spec.Data)...)
			}
			if strings.Contains(string(printed), secret) {
				t.Errorf("what is outside of the module shows: %s", printed)
			}
		})
	}
}

func TestLinksInsideOfTheModuleAndAGivenLinkAreFollowed(t *testing.T) {
	dir := spectest.WriteFiles(t, map[string]string{
		"m/cue.mod/module.cue": testModule,
		"m/c/a.cue":            "@extern(embed)\n" + goodCUE + "components: \"gpu-operator\": values: _ @embed(file=t.json)\n",
		"m/data/t.json":        `{"a": 1}`,
	})
	for from, to := range map[string]string{"m/c/t.json": "m/data/t.json", "given.cue": "m/c/a.cue", "m/linked": "m/c"} {
		if err := os.Symlink(filepath.Join(dir, to), filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"m/c", "m/c/a.cue", "given.cue", "m/linked"} {
		spec, found := loaderForTest(t).load(source.Input{Path: path})
		if len(found) > 0 {
			t.Errorf("%s: %+v", path, found)
			continue
		}
		if at := spec.Locate([]any{"name"}).File; at != "m/c/a.cue" || !strings.Contains(fmt.Sprint(spec.Data), "values:map[a:1]") {
			t.Errorf("%s: %s, %v", path, at, spec.Data)
		}
	}
}

func TestLargeInputIsRefused(t *testing.T) {
	big := strings.Repeat("// comment\n", 60_000)
	spectest.WriteFiles(t, map[string]string{
		"one.cue":    goodCUE + big + big,
		"two/a.cue":  goodCUE + big,
		"two/b.cue":  "package cluster\n" + big,
		"three.yaml": strings.ReplaceAll(big+big, "//", "#"),
	})
	for path, want := range map[string]string{
		"one.cue":    "one.cue:1:1 SPEC-004",
		"two":        "two/b.cue:1:1 SPEC-004",
		"three.yaml": "three.yaml:1:1 SPEC-004",
	} {
		spec, found := loaderForTest(t).load(source.Input{Path: path})
		if got := spectest.Brief(found); spec != nil || !slices.Equal(got, []string{want}) || !found.Fatal() {
			t.Errorf("%s: found %v, want %s", path, got, want)
		}
	}
	_, found := loaderForTest(t).load(source.Input{Path: "-", Stdin: strings.NewReader(big + big)})
	if got := spectest.Brief(found); !slices.Equal(got, []string{"<stdin>:1:1 SPEC-004"}) {
		t.Errorf("standard input: found %v", got)
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := spectest.WriteFiles(t, map[string]string{"locked.yaml": "name: a\n"})
	if err := os.Mkdir(filepath.Join(dir, "d.cue"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"nosuch": "nosuch:1:1 SPEC-001", "d.cue": "d.cue:0:0 SPEC-001"} {
		spec, found := loaderForTest(t).load(source.Input{Path: path})
		if got := spectest.Brief(found); spec != nil || !slices.Equal(got, []string{want}) || !found.Fatal() {
			t.Errorf("%s: found %v, want %s", path, got, want)
		}
	}
	if os.Geteuid() == 0 {
		return
	}
	if err := os.Chmod("locked.yaml", 0); err != nil {
		t.Fatal(err)
	}
	_, found := loaderForTest(t).load(source.Input{Path: "locked.yaml"})
	if got := spectest.Brief(found); !slices.Equal(got, []string{"locked.yaml:1:1 SPEC-001"}) {
		t.Errorf("found %v", got)
	}
}

// A link to nothing beside the spec is named itself where it would be part of the spec;
// what is none, such as the link by which an editor locks a file, is passed over.
func TestALinkToNothingIsNamed(t *testing.T) {
	dir := spectest.WriteFiles(t, map[string]string{"cue.mod/module.cue": testModule, "c/cluster.cue": goodCUE})
	for name, named := range map[string]bool{"b.cue": true, "_b.cue": false, ".#cluster.cue": false, "b.yaml": false, "b.txt": false} {
		link := filepath.Join(dir, "c", name)
		if err := os.Symlink("nowhere", link); err != nil {
			t.Fatal(err)
		}
		spec, found := loaderForTest(t).load(source.Input{Path: "c"})
		var want []string
		if named {
			want = []string{"c/" + name + ":1:1 SPEC-001"}
		}
		if got := spectest.Brief(found); (spec == nil) != named || !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %s", name, got, want)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoFindingNamesAPathOfTheMachine(t *testing.T) {
	dir := spectest.WriteFiles(t, map[string]string{
		"cue.mod/module.cue":   testModule,
		"a.cue":                "package cluster\nimport \"example.com/m/nosuch\"\nimport \"example.com/other/x\"\nimport \"github.com/gpugen/gpugen/schema/nosuch\"\nname: nosuch.x + x.y\n",
		"b/cue.mod/module.cue": "module: \"example.com/b@v0\"\nlanguage: version: \"v99.0.0\"\n",
		"b/a.cue":              goodCUE,
		"c/cue.mod/module.cue": "}{",
		"c/a.cue":              goodCUE,
	})
	for _, path := range []string{".", "b", "c"} {
		_, found := loaderForTest(t).load(source.Input{Path: path})
		if len(found) == 0 {
			t.Errorf("%s: nothing found", path)
		}
		for _, f := range found {
			if strings.Contains(f.Message, dir) || filepath.IsAbs(f.Position.File) {
				t.Errorf("%s: %+v", path, f)
			}
		}
	}
}

// Wherever a name is the user's own, nothing hidden stands in it, and it is no longer
// than what reads the tree can read: at the top of what the schema leaves open as well.
func TestNamesOfTheUsersOwnAreReadable(t *testing.T) {
	object := `{apiVersion: "v1", kind: "ConfigMap", metadata: name: "a", %s}`
	for _, place := range []string{
		`components: "gpu-operator": values: %s: 1`,
		`components: "gpu-operator": values: a: %s: 1`,
		`components: "gpu-operator": argocd: annotations: %s: "x"`,
		`components: mine: objects: %s: ` + strings.Replace(object, ", %s", "", 1),
		`components: mine: objects: a: ` + strings.Replace(object, "%s", "%s: 1", 1),
		`components: mine: objects: a: ` + strings.Replace(object, "%s", "metadata: %s: 1", 1),
		`components: mine: objects: a: ` + strings.Replace(object, "%s", "data: %s: \"1\"", 1),
		`gitops: argocd: applications: annotations: %s: "x"`,
		`monitoring: labels: %s: "x"`,
		`network: secondaryNetworks: a: {type: "ipoib", metaPlugins: [{type: "tuning", %s: 1}]}`,
	} {
		for name, want := range map[string]string{
			`"\uFEFFx"`: "SPEC-035", `"x\u2028"`: "SPEC-035", `"x\u2066"`: "SPEC-035",
			strconv.Quote(strings.Repeat("k", 1001)): "SPEC-036", strconv.Quote(strings.Repeat("k", 1000)): "", `"x"`: "",
			`"<<"`: "SPEC-042", `"<"`: "",
		} {
			text := goodCUE + fmt.Sprintf(place, name) + "\n"
			spec, found := loaderForTest(t).load(source.Input{Path: "-", Format: "cue", Stdin: strings.NewReader(text)})
			if len(found) > 1 || len(found) == 1 != (want != "") || want != "" && (found[0].ID != want || found[0].Position.Line != 6) {
				t.Errorf("%s with %.20s: found %v, want %q", place, name, spectest.Brief(found), want)
			}
			if data, err := json.Marshal(spec.Data); err != nil || want != "" && (strings.Contains(string(data), "kkkk") || diag.Hidden(string(data)) != "") {
				t.Errorf("%s with %.20s: the name stays: %s", place, name, data)
			}
		}
	}
}
