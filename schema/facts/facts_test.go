// Package facts_test judges the facts: whether they are whole, agree with each
// other, and agree with upstream data. It must not hold facts of its own.
package facts_test

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/load"

	"github.com/gpugen/gpugen/schema/facts"
)

// moduleRoot is found from this source file, so that the working directory of a
// test does not matter.
func moduleRoot(t *testing.T) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no source file")
	}
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// loadPackage loads a package of facts as a build has it, without a registry.
func loadPackage(t *testing.T, dir string) []*build.Instance {
	t.Helper()
	built := map[string]load.Source{}
	err := fs.WalkDir(facts.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(facts.Files, name)
		built[filepath.Join(moduleRoot(t), "schema", "facts", name)] = load.FromBytes(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return load.Instances([]string{dir}, &load.Config{Dir: moduleRoot(t), Env: []string{"CUE_REGISTRY=none"}, Overlay: built})
}

// loadFacts loads package facts.
func loadFacts(t *testing.T) (*build.Instance, cue.Value) {
	t.Helper()
	instances := loadPackage(t, "./schema/facts")
	if len(instances) != 1 {
		t.Fatalf("got %d instances, want 1", len(instances))
	}
	if err := instances[0].Err; err != nil {
		t.Fatal(err)
	}
	v := cuecontext.New().BuildInstance(instances[0])
	if err := v.Err(); err != nil {
		t.Fatal(err)
	}
	return instances[0], v
}

// decode reads the value at path into a T.
func decode[T any](t *testing.T, v cue.Value, path string) T {
	t.Helper()
	var out T
	if err := v.LookupPath(cue.ParsePath(path)).Decode(&out); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

func TestPackageEvaluatesToConcreteData(t *testing.T) {
	_, v := loadFacts(t)
	if err := v.Validate(cue.Concrete(true), cue.Final()); err != nil {
		t.Fatal(err)
	}
}

func TestPackageImportsOnlyBuiltins(t *testing.T) {
	inst, _ := loadFacts(t)
	for _, f := range inst.Files {
		for spec := range f.ImportSpecs() {
			if strings.Contains(spec.Path.Value, ".") {
				t.Errorf("%s imports %s", f.Filename, spec.Path.Value)
			}
		}
	}
}

func TestKnownMinorsOfKubernetesHaveDates(t *testing.T) {
	_, v := loadFacts(t)
	minors := decode[struct{ Min, Max int }](t, v, "kubernetes.minors")
	releases := decode[map[string]struct{ Released, EndOfLife string }](t, v, "kubernetes.releases")
	if got, want := len(releases), minors.Max-minors.Min+1; got != want {
		t.Errorf("%d releases for %d known minors", got, want)
	}
	for minor, r := range releases {
		if r.Released >= r.EndOfLife {
			t.Errorf("%s ends %s, before its release on %s", minor, r.EndOfLife, r.Released)
		}
	}
	if dra := decode[int](t, v, "kubernetes.dra.minor"); dra < minors.Min || dra > minors.Max {
		t.Errorf("DRA starts at minor %d, outside the known ones", dra)
	}
}

func TestAmd64OnlySystemsAreDriverContainerSystems(t *testing.T) {
	_, v := loadFacts(t)
	all := decode[map[string]map[string][]string](t, v, "driverContainerOS")
	for release, systems := range decode[map[string]map[string][]string](t, v, "driverContainerAmd64Only") {
		for system, versions := range systems {
			known := strings.Join(all[release][system], " ") + " "
			for _, version := range versions {
				if !strings.Contains(known, version+" ") {
					t.Errorf("%s %s %s has no driver container at all", release, system, version)
				}
			}
		}
	}
}
