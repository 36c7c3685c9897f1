package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/remembered"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// again renders one spec to one directory, over and over.
type again struct {
	t     *testing.T
	spec  string
	out   string
	store remembered.Store
	// evaluated counts evaluations.
	evaluated int
}

func newAgain(t *testing.T) *again {
	dir := t.TempDir()
	a := &again{t: t, spec: filepath.Join(dir, "good"), out: filepath.Join(dir, "tree"), store: remembered.Store{Dir: filepath.Join(dir, "cache"), Build: "one"}}
	if err := os.CopyFS(a.spec, os.DirFS("testdata/specs/good")); err != nil {
		t.Fatal(err)
	}
	return a
}

// run runs render and returns its exit code and what it says.
func (a *again) run(args ...string) (int, string) {
	a.t.Helper()
	var said bytes.Buffer
	flags := renderFlags{
		evaluate: func(in schema.Input) (*generators.Result, diag.List) {
			a.evaluated++
			return generators.Render(in)
		},
		store: func() (remembered.Store, bool) { return a.store, a.store.Build != "" },
	}
	cmd := renderCommand(streams{out: &said, err: &said}, &flags)
	cmd.SetArgs(append([]string{a.spec, "-o", a.out}, args...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(a.t.Context())
	var code exit
	switch {
	case err == nil:
		return exitOK, said.String()
	case errors.As(err, &code):
		return int(code), said.String()
	}
	a.t.Fatal(err)
	return 0, ""
}

// wantEvaluated fails unless running with args evaluates, or does not, and returns
// what was said.
func (a *again) wantEvaluated(want bool, args ...string) string {
	a.t.Helper()
	before := a.evaluated
	_, said := a.run(args...)
	if got := a.evaluated > before; got != want {
		a.t.Errorf("render %s: evaluated is %t, want %t; it said\n%s", strings.Join(args, " "), got, want, said)
	}
	return said
}

func (a *again) write(path, text string) {
	a.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		a.t.Fatal(err)
	}
}

func TestAnUnchangedRenderEvaluatesNothing(t *testing.T) {
	a := newAgain(t)
	// A warning, which has to be said each time.
	spec, err := os.ReadFile(filepath.Join(a.spec, "cluster.cue"))
	if err != nil {
		t.Fatal(err)
	}
	a.write(filepath.Join(a.spec, "cluster.cue"), string(spec)+"\ncomponents: \"my-thing\": chart: {repository: \"https://charts.example.com\", name: \"thing\", version: \"1.0.0\"}\n")
	a.wantEvaluated(true)
	evaluated := a.wantEvaluated(true, "--as-of", "2026-11-22")
	if !strings.Contains(evaluated, "EXT-004") || !strings.Contains(evaluated, " 0 created") {
		t.Fatalf("it said\n%s", evaluated)
	}
	if said := a.wantEvaluated(false, "--as-of", "2026-11-22"); said != evaluated {
		t.Errorf("without an evaluation it said\n%s\nwith one\n%s", said, evaluated)
	}
	if said := a.wantEvaluated(false, "--as-of", "2026-11-22", "--check"); !strings.Contains(said, "EXT-004") || strings.Contains(said, "unchanged") {
		t.Errorf("--check said\n%s", said)
	}
	if code, _ := a.run("--as-of", "2026-11-22", "--check", "--strict"); code != exitFindings {
		t.Errorf("--strict with a warning ends with %d", code)
	}
	if said := a.wantEvaluated(false, "--as-of", "2026-11-22", "--format", "json"); !strings.Contains(said, `"EXT-004"`) {
		t.Errorf("as JSON it said\n%s", said)
	}
}

func TestWhateverChangesIsEvaluated(t *testing.T) {
	for name, change := range map[string]func(a *again) []string{
		"a file of the spec": func(a *again) []string {
			a.write(filepath.Join(a.spec, "more.cue"), "package cluster\n\n// more\n")
			return nil
		},
		"a package that it imports": func(a *again) []string {
			a.write(filepath.Join(a.spec, "site", "site.cue"), "package site\n\nname: \"another\"\n")
			return nil
		},
		"what it embeds": func(a *again) []string {
			a.write(filepath.Join(a.spec, "data.json"), `{"a": 2}`)
			return nil
		},
		"a package that only rules of the site import": func(a *again) []string {
			a.write(filepath.Join(a.spec, "limits", "limits.cue"), "package limits\n\nmost: 9\n")
			return nil
		},
		"the module": func(a *again) []string {
			a.write(filepath.Join(a.spec, "cue.mod", "module.cue"), "module: \"example.com/spec@v0\"\nlanguage: version: \"v0.17.1\"\n")
			return nil
		},
		"a file of the tree": func(a *again) []string {
			a.write(filepath.Join(a.out, "README.md"), "edited")
			return nil
		},
		"the inventory": func(a *again) []string {
			path := filepath.Join(a.out, ".gpugen", "inventory.json")
			data, err := os.ReadFile(path)
			if err != nil {
				a.t.Fatal(err)
			}
			a.write(path, string(data)+"\n")
			return nil
		},
		"a file of the tree is gone": func(a *again) []string {
			if err := os.Remove(filepath.Join(a.out, "USAGE.md")); err != nil {
				a.t.Fatal(err)
			}
			return nil
		},
		"a file of the tree is a link": func(a *again) []string {
			path := filepath.Join(a.out, "USAGE.md")
			if err := os.Rename(path, path+".real"); err != nil {
				a.t.Fatal(err)
			}
			if err := os.Symlink("USAGE.md.real", path); err != nil {
				a.t.Skip(err)
			}
			return nil
		},
		"an unfinished run": func(a *again) []string {
			a.write(filepath.Join(a.out, ".gpugen", "journal.json"), "[]")
			return nil
		},
		"another tree": func(a *again) []string {
			a.out += "-2"
			return nil
		},
		"the program": func(a *again) []string {
			a.store.Build = "two"
			return nil
		},
		"a program that cannot be told from others": func(a *again) []string {
			a.store.Build = ""
			return nil
		},
		"the day": func(*again) []string { return []string{"--as-of", "2026-11-21"} },
	} {
		if !sample.Some("again "+name, 4) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgain(t)
			a.write(filepath.Join(a.spec, "cue.mod", "module.cue"), "module: \"example.com/spec@v0\"\nlanguage: version: \"v0.17.0\"\n")
			a.write(filepath.Join(a.spec, "site", "site.cue"), "package site\n\nname: \"this\"\n")
			a.write(filepath.Join(a.spec, "limits", "limits.cue"), "package limits\n\nmost: 8\n")
			a.write(filepath.Join(a.spec, "data.json"), `{"a": 1}`)
			a.write(filepath.Join(a.spec, "imports.cue"), `@extern(embed)
package cluster

import (
	"example.com/spec/site"
	"example.com/spec/limits"
)

_site: site.name
_data: _ @embed(file=data.json)

rules: "SITE-001": {
	title:    "Too many"
	severity: "error"
	why:      "This site has no more."
	fix:      "take fewer"
	spec: _
	found: [for poolName, pool in spec.nodePools if pool.gpu.count > limits.most {at: ["nodePools", poolName], message: "too many GPUs"}]
}
`)
			if code, said := a.run(); code != exitOK {
				t.Fatalf("render ends with %d:\n%s", code, said)
			}
			a.wantEvaluated(false, "--check")
			args := change(a)
			a.wantEvaluated(true, append(args, "--check")...)
		})
	}
}

func TestWhatIsChangedMeanwhileIsNotRemembered(t *testing.T) {
	a := newAgain(t)
	flags := renderFlags{out: a.out, store: func() (remembered.Store, bool) { return a.store, true }}
	in := schema.Input{Path: a.spec}
	known := flags.remember(in)
	result, findings := generators.Render(in)
	if result == nil {
		t.Fatal(findings)
	}
	a.write(filepath.Join(a.spec, "more.cue"), "package cluster\n\n// more\n")
	known.keep(result, findings)
	if files, err := os.ReadDir(a.store.Dir); len(files) > 0 || !os.IsNotExist(err) {
		t.Errorf("%v is remembered (%v)", files, err)
	}
}

func TestAProgramKnowsItsBuild(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if id := buildID(data[:min(len(data), buildIDReach)]); strings.Count(id, "/") != 3 {
		t.Errorf("the build ID of this test is %q", id)
	}
	if id := buildID(append([]byte("MZ\xff Go build ID: \"a/b/c/d\"\n \xff"), 0)); id != "a/b/c/d" {
		t.Errorf("the build ID of a program without notes is %q", id)
	}
	for _, without := range []string{"", "Go\x00\x00", "\x04\x00\x00\x00\xff\xff\xff\xff\x04\x00\x00\x00Go\x00\x00abc"} {
		if id := buildID([]byte(without)); id != "" {
			t.Errorf("the build ID of %q is %q", without, id)
		}
	}
}
