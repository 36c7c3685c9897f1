package generators_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/internal/sample"
)

const inventory = ".gpugen/inventory.json"

// eachExample renders examples once as the measure of others: all of them in a
// long run, otherwise some.
func eachExample(t *testing.T, test func(t *testing.T, spec string, want map[string][]byte)) {
	t.Helper()
	for i, example := range exampleNames(t) {
		if i > 0 && !sample.Draws(t.Name()+example, 24) {
			continue
		}
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			spec := filepath.Join(examplesDir, example)
			dir := filepath.Join(t.TempDir(), "tree")
			mustRender(t, dir, spec)
			test(t, spec, readTree(t, dir))
		})
	}
}

func TestTheSameSpecGivesTheSameBytes(t *testing.T) {
	eachExample(t, func(t *testing.T, spec string, want map[string][]byte) {
		again := filepath.Join(t.TempDir(), "again")
		mustRender(t, again, spec)
		same(t, "rendered twice", want, again)

		elsewhere := filepath.Join(t.TempDir(), "quite", "another place")
		mustWrite(t, filepath.Join(elsewhere, "cluster.cue"), mustRead(t, filepath.Join(spec, "cluster.cue")))
		out := filepath.Join(t.TempDir(), "tree")
		mustRender(t, out, elsewhere)
		same(t, "from a copy elsewhere", want, out)
	})
}

func TestTheEnvironmentDoesNotShowInATree(t *testing.T) {
	eachExample(t, func(t *testing.T, spec string, want map[string][]byte) {
		for _, environment := range [][]string{
			{"HOME=/nonexistent", "TZ=Pacific/Kiritimati", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8"},
			{"GOMAXPROCS=1", "USER=somebody", "HOSTNAME=somewhere", "KUBECONFIG=/nonexistent", "CUE_REGISTRY=none"},
			{"GOMAXPROCS=7", "NO_COLOR=1", "TERM=dumb", "GOGC=20"},
		} {
			out := filepath.Join(t.TempDir(), "tree")
			cmd := child(t, spec, out)
			cmd.Env = append(cmd.Env, environment...)
			run(t, cmd)
			same(t, strings.Join(environment, " "), want, out)
		}
	})
}

// The order of files and fields, the format, comments and line ends are matters of taste.
func TestHowASpecIsWrittenDoesNotShowInATree(t *testing.T) {
	eachExample(t, func(t *testing.T, spec string, want map[string][]byte) {
		cue := mustRead(t, filepath.Join(spec, "cluster.cue"))
		for form, files := range map[string]map[string][]byte{
			"split into files, last field first": splitReversed(t, cue),
			"with a comment more":                {"cluster.cue": append(bytes.Clone(cue), "\n// Reviewed on Monday.\n"...)},
			"with line ends of Windows":          {"cluster.cue": bytes.ReplaceAll(cue, []byte("\n"), []byte("\r\n"))},
			"YAML with line ends of Windows":     {"cluster.yaml": bytes.ReplaceAll(asYAML(t, cue), []byte("\n"), []byte("\r\n"))},
			"YAML":                               {"cluster.yaml": asYAML(t, cue)},
			"JSON":                               {"cluster.json": asJSON(t, cue)},
		} {
			dir := t.TempDir()
			for name, data := range files {
				mustWrite(t, filepath.Join(dir, name), data)
			}
			out := filepath.Join(t.TempDir(), "tree")
			mustRender(t, out, dir)
			same(t, form, want, out)
		}
	})
}

func TestRenderingAgainChangesNothing(t *testing.T) {
	eachExample(t, func(t *testing.T, spec string, want map[string][]byte) {
		out := filepath.Join(t.TempDir(), "tree")
		mustRender(t, out, spec)
		before := modified(t, out)
		mustRender(t, out, spec)
		same(t, "over itself", want, out)
		if after := modified(t, out); before != after {
			t.Errorf("files were touched: %s, then %s", before, after)
		}
	})
}

func modified(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	for name := range readTree(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %d", name, info.ModTime().UnixNano()))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// splitReversed makes a file of each top-level declaration, the last one first.
func splitReversed(t *testing.T, spec []byte) map[string][]byte {
	t.Helper()
	file, err := parser.ParseFile("cluster.cue", spec, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for i, decl := range file.Decls {
		field, ok := decl.(*ast.Field)
		if !ok {
			continue
		}
		part := &ast.File{Decls: []ast.Decl{&ast.Package{Name: ast.NewIdent("cluster")}, field}}
		data, err := format.Node(part)
		if err != nil {
			t.Fatal(err)
		}
		files[fmt.Sprintf("part_%03d.cue", len(file.Decls)-i)] = data
	}
	return files
}

func asJSON(t *testing.T, spec []byte) []byte {
	t.Helper()
	data, err := cuecontext.New().CompileBytes(spec).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func asYAML(t *testing.T, spec []byte) []byte {
	t.Helper()
	data, err := yaml.JSONToYAML(asJSON(t, spec))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func same(t *testing.T, what string, want map[string][]byte, dir string) {
	t.Helper()
	for _, difference := range compare(want, readTree(t, dir)) {
		t.Errorf("%s: %s", what, difference)
	}
}

// child is a process that renders, with next to no environment.
func child(t *testing.T, spec, out string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), childSpec + "=" + spec, childOutput + "=" + out}
	return cmd
}

func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustWrite(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
