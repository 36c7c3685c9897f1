package cli

import (
	"io/fs"
	"strings"
	"testing"

	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/encoding/yaml"

	"github.com/gpugen/gpugen/examples"
)

// Whoever adds an example adds a start for newcomers.
func TestEveryExampleCanBeStartedFrom(t *testing.T) {
	if len(exampleNames()) == 0 {
		t.Fatal("no examples")
	}
	for _, name := range exampleNames() {
		spec, err := fs.ReadFile(examples.Files, name+"/"+specFile)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := newScaffold(spec, "", "", false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if string(plain.data) != string(spec) {
			t.Errorf("%s: not formatted", name)
		}
		named, err := newScaffold(spec, "mine", "clusters/mine/tree", false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(named.change) == 0 || len(plain.change) != len(named.change)+2 {
			t.Errorf("%s: %d lines to change, %d with a name and a path; both of these are to be marked, and some other line", name, len(plain.change), len(named.change))
		}
		for _, want := range []string{`name: "mine" // `, `"clusters/mine/tree" // `} {
			if !strings.Contains(spaces.ReplaceAllString(string(named.data), " "), want) {
				t.Errorf("%s: no %s in\n%s", name, want, named.data)
			}
		}
	}
}

// The YAML of an example says the same, and the same lines are to be changed.
func TestEveryExampleIsYAMLAsWell(t *testing.T) {
	for _, name := range exampleNames() {
		spec, err := fs.ReadFile(examples.Files, name+"/"+specFile)
		if err != nil {
			t.Fatal(err)
		}
		inCUE, err := newScaffold(spec, "mine", "mine/tree", false)
		if err != nil {
			t.Fatal(err)
		}
		inYAML, err := newScaffold(spec, "mine", "mine/tree", true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(inYAML.change) != len(inCUE.change) {
			t.Errorf("%s: %d lines to change, and %d as YAML", name, len(inCUE.change), len(inYAML.change))
		}
		ctx := cuecontext.New()
		asCUE, err := ctx.CompileBytes(inCUE.data).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		file, err := yaml.Extract("", inYAML.data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		asYAML, err := ctx.BuildFile(file).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if string(asYAML) != string(asCUE) {
			t.Errorf("%s\n  as YAML %s\n  as CUE  %s", name, asYAML, asCUE)
		}
	}
}

// A name goes in as a string, whatever it holds; all else stays as it is.
func TestAScaffoldChangesOnlyNameAndPath(t *testing.T) {
	const spec = `// About it.
package cluster

name: "old" // change me: a name

gitops: {
	path: "old/tree" // change me: a path
	argocd: namespace: "cd"
}

pool: name: "old" // change me: not that name
`
	got, err := newScaffold([]byte(spec), "new", `a"b`, false)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(`name: "old" // change me: a name`, `name: "new" // a name`, `"old/tree" // change me: `, `"a\"b" // `).Replace(spec)
	formatted, err := format.Source([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if string(got.data) != string(formatted) {
		t.Errorf("got\n%s\nwant\n%s", got.data, formatted)
	}
	if got.argocd != "cd" {
		t.Errorf("Argo CD's namespace is %q", got.argocd)
	}
	if len(got.change) != 1 || got.change[0].number != 11 || got.change[0].text != `pool: name: "old" // change me: not that name` {
		t.Errorf("lines to change: %+v", got.change)
	}
}

func TestAnExampleWithoutANameCannotBeStartedFrom(t *testing.T) {
	for _, spec := range []string{"package cluster\n", "package cluster\nname: other\n", "package cluster\ngitops: path: \"x\"\n"} {
		if _, err := newScaffold([]byte(spec), "mine", "", false); err == nil {
			t.Errorf("%q is taken", spec)
		}
	}
}
