package judge_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gpugen/gpugen/e2e/apiserver/judge"
	"github.com/gpugen/gpugen/e2e/apiserver/server"
	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

const (
	goldenDir   = "../../../golden"
	examplesDir = "../../../examples"
	// program is a child of the tests: a process can hold one control plane.
	program = "../../../build/judge"
	// numbers gets a line for each Kubernetes version, for people to read.
	numbers = "../../../build/apiserver.txt"

	oldest = "1.33"
	newest = "1.36"
	// memoryLimit is what this process and one control plane may have together.
	memoryLimit = 1536 << 20
)

func TestMain(m *testing.M) {
	// Relative to this package's folder, where tests run.
	build := exec.Command("go", "build", "-o", program, "..")
	build.Stderr = os.Stderr
	if err := errors.Join(os.MkdirAll(path.Dir(program), 0o755), build.Run(), os.WriteFile(numbers, nil, 0o644)); err != nil {
		fmt.Fprintln(os.Stderr, "the judge does not build:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var minors = []string{oldest, "1.34", "1.35", newest}

// kubernetes is a server of one minor release, and what it accepted.
type kubernetes struct {
	*judge.Session
	minor                                           string
	read                                            *examplesData
	trees, objects, admitted, definitions, warnings int
}

// Every promise about a Kubernetes version is tested on one server of that
// version, so that there is one server at a time: each takes half a gigabyte.
func TestOnKubernetes(t *testing.T) {
	flux, err := crd.FluxDefinitionFiles("../../flux/tools")
	if err != nil {
		t.Fatal(err)
	}
	olm, err := crd.OLMDefinitionFiles()
	if err != nil {
		t.Fatal(err)
	}
	sources := judge.Sources{Upstream: upstreamtest.Dir(t), Folders: append(flux, olm...)}
	read := &examplesData{external: map[string][]crd.ChartVersion{}, specs: map[string]map[string]any{}}
	for _, minor := range minors {
		t.Run(minor, func(t *testing.T) {
			began := time.Now()
			s, err := server.Start(t.Context(), program, minor)
			if err != nil {
				t.Fatal(err)
			}
			k := &kubernetes{Session: judge.NewSession(s.Client, sources), minor: minor, read: read}
			t.Cleanup(func() { k.sumUp(t, s.Stop(), time.Since(began)) })
			t.Run("golden trees", k.goldenTrees)
			t.Run("examples of this version", k.examples)
			t.Run("what rules call good", k.goods)
			t.Run("edges of the schema", k.edges)
			t.Run("any specs", k.anySpecs)
			t.Run("fields of charts", k.fieldsOfCharts)
			t.Run("seeded faults", k.seededFaults)
			t.Run("contradictions", k.contradictions)
			t.Run("quotas", k.quotas)
		})
	}
}

// sumUp writes down what was done, and holds it against the limits.
func (k *kubernetes) sumUp(t *testing.T, peak int64, took time.Duration) {
	t.Helper()
	own := peakOfThisProcess(t)
	line := fmt.Sprintf("Kubernetes %s: %d trees, %d objects, %d made of templates, up to %d CRDs, %d warnings in accepted trees; %.0f s, server %d MiB, test %d MiB",
		k.minor, k.trees, k.objects, k.admitted, k.definitions, k.warnings, took.Seconds(), peak>>20, own>>20)
	t.Log(line)
	if peak+own > memoryLimit {
		t.Errorf("server and test had %d MiB", (peak+own)>>20)
	}
	file, err := os.OpenFile(numbers, os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := fmt.Fprintln(file, line); err != nil {
		t.Error(err)
	}
}

// judge applies a tree and reports.
func (k *kubernetes) judge(t *testing.T, tree *judge.Tree, orders ...judge.Order) *judge.Report {
	t.Helper()
	report, err := k.Judge(context.WithoutCancel(t.Context()), tree, orders...)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func load(t *testing.T, files fs.FS, external ...crd.ChartVersion) *judge.Tree {
	t.Helper()
	tree, err := judge.Load(files, external...)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// accepts fails for each problem of a tree.
func (k *kubernetes) accepts(t *testing.T, tree *judge.Tree, orders ...judge.Order) *judge.Report {
	t.Helper()
	report := k.judge(t, tree, orders...)
	for _, problem := range report.Problems {
		t.Error(problem)
	}
	k.count(report)
	return report
}

func (k *kubernetes) count(report *judge.Report) {
	k.trees++
	k.objects += report.Objects
	k.admitted += report.Admitted
	k.definitions = max(k.definitions, report.Definitions)
	k.warnings += report.Warnings
}

// acceptsRendered also fails for each field that a rendered tree leaves to the
// server.
func (k *kubernetes) acceptsRendered(t *testing.T, tree *judge.Tree, orders ...judge.Order) *judge.Report {
	t.Helper()
	report := k.accepts(t, tree, orders...)
	for _, one := range undeclared(report.Defaulted) {
		t.Error(leftOpen(one))
	}
	return report
}

func leftOpen(one judge.Default) string {
	return fmt.Sprintf("the server fills in %s: %s = %s: render it, or let the Application ignore it", one.Kind, one.Path, one.Value)
}

// foldersWith finds the folders, at any depth, that hold one of the files.
func foldersWith(t *testing.T, root string, files ...string) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains(files, entry.Name()) {
			out = append(out, path.Dir(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("no %v in %s", files, root)
	}
	return out
}

// copyOf reads a folder into memory, so that a test can change it.
func copyOf(t *testing.T, dir string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	files := os.DirFS(dir)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		out[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func lines(problems []judge.Problem) string {
	var out []string
	for _, problem := range problems {
		out = append(out, problem.String())
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
