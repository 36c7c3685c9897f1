// Package gpugen_test holds the rules that the repository as a whole obeys: who
// imports whom, how templates name things, and what no file may say.
package gpugen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	cueast "cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	cueparser "cuelang.org/go/cue/parser"
)

const module = "github.com/gpugen/gpugen"

// goLayers are the Go packages from the ground up: one may import those of lower
// layers only. A new package needs a place here.
var goLayers = [][]string{
	{"schema/bytesize", "schema/diag", "schema/typo", "schema/syntax", "schema/prepared", "generators/appset"},
	{"schema/facts", "schema/facts/manifests", "schema/imported", "schema/rule", "schema/rules", "schema/spec", "templates"},
	{"generators/tree", "schema/chartindex", "schema/guard", "schema/watchdog", "examples"},
	{"schema/source"},
	{"schema/knowledge"},
	{"schema/shape", "schema/site"},
	{"schema/load"},
	{"schema/override"},
	{"schema/check"},
	{"schema"},
	{"generators/plan", "generators/helm"},
	{"generators/kustomize"},
	{"generators/argocd", "generators/flux"},
	{"generators/fleet", "generators/guide", "generators/remembered", "generators/verify", "generators/worktree"},
	{"generators/rendered"},
	{"generators"},
	{"generators/chartfacts", "generators/importing"},
	{"cmd/gpugen/internal/report"},
	{"cmd/gpugen/internal/cli", "cmd/internal/chartcli"},
	{"cmd/gpugen", "cmd/gpugen-chart", "schema/knowledge/prepare"},
}

// onlyForTests may be imported by tests alone, and holds no part of gpugen.
var onlyForTests = []string{"internal/anyspec", "internal/mutant", "internal/sample", "schema/spectest", "schema/upstreamtest"}

// cueLayers are the CUE packages, likewise.
var cueLayers = [][]string{
	{"schema/facts", "schema/facts/manifests", "schema/rule"},
	{"schema/facts/charts", "schema/imported"},
	{"schema/spec"},
	{"templates"},
	{"schema/rules"},
}

func TestGoImportsRunDownwards(t *testing.T) {
	layer := layersOf(goLayers)
	for _, file := range sourceFiles(t, ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		dir := path.Dir(file)
		if slices.Contains(onlyForTests, dir) {
			continue
		}
		own, known := layer[dir]
		if !known {
			t.Errorf("%s: package %s has no layer; give it one in goLayers", file, dir)
			continue
		}
		for _, imported := range goImports(t, file) {
			below, known := layer[imported]
			switch {
			case slices.Contains(onlyForTests, imported):
				t.Errorf("%s imports %s, which is for tests", file, imported)
			case !known:
				t.Errorf("%s imports %s, which has no layer", file, imported)
			case below >= own:
				t.Errorf("%s imports %s, which is not below it", file, imported)
			}
		}
	}
}

func TestCUEImportsRunDownwards(t *testing.T) {
	layer := layersOf(cueLayers)
	seen := map[string]bool{}
	for _, file := range sourceFiles(t, ".cue") {
		dir := path.Dir(file)
		own, known := layer[dir]
		if !known {
			continue
		}
		seen[dir] = true
		for _, imported := range cueImports(t, file) {
			if below, known := layer[imported]; !known || below >= own {
				t.Errorf("%s imports %s, which is not below it", file, imported)
			}
		}
	}
	for dir := range layer {
		if !seen[dir] {
			t.Errorf("no CUE in %s", dir)
		}
	}
	for _, file := range sourceFiles(t, ".cue") {
		if dir := path.Dir(file); !seen[dir] && (strings.HasPrefix(dir, "schema/") || strings.HasPrefix(dir, "templates")) && !strings.Contains(dir, "testdata") {
			t.Errorf("%s: package %s has no layer; give it one in cueLayers", file, dir)
		}
	}
}

// runPrograms are the files that run another program: gpugen-chart, and gpugen itself
// once more where a process cannot be replaced, or specs are judged apart.
var runPrograms = []string{
	"cmd/gpugen/internal/cli/chart.go", "cmd/gpugen/internal/cli/environment_windows.go", "cmd/gpugen/internal/cli/vet_workers.go",
}

// What a spec renders to follows from the spec alone, and nothing below the
// command line prints, asks the environment, or opens a socket.
func TestOnlyTheCommandLineTalksToTheWorld(t *testing.T) {
	banned := map[string][]string{
		"os":  {"Exit", "Stdin", "Stdout", "Stderr", "Getenv", "LookupEnv", "Environ", "Args"},
		"fmt": {"Print", "Printf", "Println"},
		"log": {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln"},
	}
	for _, file := range sourceFiles(t, ".go") {
		dir := path.Dir(file)
		if strings.HasSuffix(file, "_test.go") || slices.Contains(onlyForTests, dir) || strings.HasPrefix(dir, "e2e/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if name == "net" || name == "net/http" || name == "os/exec" && !slices.Contains(runPrograms, file) {
				t.Errorf("%s imports %s", file, name)
			}
		}
		// A program may; schema/knowledge/prepare is one that only a build runs.
		if strings.HasPrefix(dir, "cmd/") || parsed.Name.Name == "main" {
			continue
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := selector.X.(*ast.Ident); ok && slices.Contains(banned[x.Name], selector.Sel.Name) {
					t.Errorf("%s: %s.%s", file, x.Name, selector.Sel.Name)
				}
			}
			return true
		})
	}
}

// Helm and what it brings nearly double the binary and the time to start it.
// Only gpugen-chart links it.
func TestGpugenDoesNotLinkHelm(t *testing.T) {
	listed, err := exec.Command("go", "list", "-deps", "./cmd/gpugen").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(listed))
	if !slices.Contains(linked, module+"/schema") {
		t.Fatalf("go list does not list what gpugen links: %s", listed)
	}
	for _, name := range linked {
		if strings.HasPrefix(name, "helm.sh/") || strings.HasPrefix(name, "k8s.io/client-go/") {
			t.Errorf("cmd/gpugen links %s", name)
		}
	}
}

// Nothing registers itself behind a reader's back.
func TestNoPackageHasAnInitFunction(t *testing.T) {
	for _, file := range sourceFiles(t, ".go") {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			if function, ok := decl.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "init" {
				t.Errorf("%s: func init", file)
			}
		}
	}
}

// Such packages gather what has no owner.
func TestPackagesAreNamedForWhatTheyOwn(t *testing.T) {
	for _, file := range sourceFiles(t, ".go") {
		switch name := path.Base(path.Dir(file)); name {
		case "util", "utils", "common", "helpers", "types":
			t.Errorf("%s: a package called %s", file, name)
		}
	}
}

func layersOf(layers [][]string) map[string]int {
	out := map[string]int{}
	for n, dirs := range layers {
		for _, dir := range dirs {
			out[dir] = n
		}
	}
	return out
}

// goImports returns the packages of this module that a file imports.
func goImports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if dir, ok := strings.CutPrefix(name, module+"/"); ok {
			out = append(out, dir)
		}
	}
	return out
}

func cueImports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := cueparser.ParseFile(file, nil, cueparser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for spec := range parsed.ImportSpecs() {
		info, err := astutil.ParseImportSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		if dir, ok := strings.CutPrefix(cueast.ParseImportPath(info.ID).Path, module+"/"); ok {
			out = append(out, dir)
		}
	}
	return out
}

// sourceFiles lists the files of the main module that end in ext; modules of
// their own, the golden trees and what tests make up are left out.
func sourceFiles(t *testing.T, ext string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			switch {
			case err == nil, strings.HasPrefix(d.Name(), "."), d.Name() == "testdata", name == "golden", name == "build", name == "bin", name == "cue.mod":
				return filepath.SkipDir
			}
		}
		if !d.IsDir() && filepath.Ext(name) == ext && filepath.Dir(name) != "." {
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no files end in %s", ext)
	}
	return files
}
