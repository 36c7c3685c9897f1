package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gpugen/gpugen/cmd/internal/chartcli"
	"github.com/gpugen/gpugen/internal/sample"
)

// updateVariable, when not empty, lets tests rewrite what they compare with.
const updateVariable = "GPUGEN_UPDATE"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"gpugen": func() {
			runtime.MemProfileRate = 0 // as gpugen itself does
			os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
		goneCommand: func() {
			fmt.Fprint(os.Stderr, goneWords)
			os.Exit(3)
		},
		chartCommand: func() { os.Exit(chartcli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// The scripts run the command line as a user would. Each finds a small good spec
// in its directory, good/cluster.cue, and the same as good.yaml; good/extra.cue
// beside it makes another spec of it. Besides testscript's own commands there are
//
//	snapshot NAME                 remember every file below the script's directory
//	unchanged NAME [EXCEPT...]    fail if anything but EXCEPT differs from then
//	lock DIR                      hold DIR as another run of gpugen would
//	fill FILE SIZE                write a file of comments
//
// and the conditions [long], for what only `make test-all` runs, and [unshare], where
// the machine lets a process have a network of its own.
//
// They assert IDs, places and exit codes. How a finding reads is asserted once,
// in vet_report.txtar.
//
// A short run tries one in three of them: each starts gpugen several times.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               scripts(t),
		UpdateScripts:       os.Getenv(updateVariable) != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(name string) (bool, error) {
			switch name {
			case "long":
				return sample.Long(), nil
			case "unshare":
				return exec.Command("unshare", "--map-root-user", "--net", "true").Run() == nil, nil
			}
			return false, fmt.Errorf("no condition %q", name)
		},
		Setup: func(env *testscript.Env) error {
			env.Values[snapshots{}] = map[string]map[string]string{}
			// What is remembered of renders is no part of what a script looks at.
			cache, err := os.MkdirTemp("", "gpugen-cache-")
			if err != nil {
				return err
			}
			env.Defer(func() { _ = os.RemoveAll(cache) })
			env.Setenv("XDG_CACHE_HOME", cache)
			// For scripts that run it without PATH.
			program, err := exec.LookPath("gpugen")
			if err != nil {
				return err
			}
			env.Setenv("GPUGEN", program)
			return writeGoodSpecs(env.WorkDir)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"snapshot":  snapshot,
			"unchanged": unchanged,
			"lock":      lock,
			"fill":      fill,
		},
	})
}

// scripts are those that a run tries: all where they are rewritten.
func scripts(t *testing.T) []string {
	all, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatal("no scripts", err)
	}
	return slices.DeleteFunc(all, func(name string) bool {
		return os.Getenv(updateVariable) == "" && !sample.Some("script "+filepath.Base(name), 3)
	})
}

func writeGoodSpecs(dir string) error {
	if err := os.CopyFS(dir, os.DirFS("testdata/specs")); err != nil {
		return err
	}
	return filepath.WalkDir(filepath.Join(dir, "good"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(path, 0o755)
	})
}

// snapshots is the key of what snapshot remembers.
type snapshots struct{}

func taken(ts *testscript.TestScript) map[string]map[string]string {
	return ts.Value(snapshots{}).(map[string]map[string]string)
}

func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: snapshot NAME")
	}
	taken(ts)[args[0]] = look(ts)
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: unchanged NAME [EXCEPT...]")
	}
	before, ok := taken(ts)[args[0]]
	if !ok {
		ts.Fatalf("no snapshot %s", args[0])
	}
	after := look(ts)
	for _, name := range slices.Sorted(maps.Keys(merge(before, after))) {
		excepted := slices.ContainsFunc(args[1:], func(e string) bool { return name == e || strings.HasPrefix(name, e+"/") })
		if before[name] != after[name] && !excepted {
			ts.Fatalf("%s: was %q, is %q", name, before[name], after[name])
		}
	}
}

func merge(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// look describes everything below the script's directory, temporary files
// included, by path.
func look(ts *testscript.TestScript) map[string]string {
	root := ts.Getenv("WORK")
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		text := d.Type().String()
		switch {
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			text = fmt.Sprintf("%v %x %v", info.Mode(), sha256.Sum256(data), info.ModTime())
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text = "link to " + target
		}
		out[filepath.ToSlash(name)] = text
		return nil
	})
	ts.Check(err)
	return out
}

func lock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lock DIR")
	}
	held := flock.New(ts.MkAbs(args[0]), flock.SetFlag(os.O_RDONLY))
	locked, err := held.TryLock()
	ts.Check(err)
	if !locked {
		ts.Fatalf("%s is locked already", args[0])
	}
	ts.Defer(func() { _ = held.Unlock() })
}

func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill FILE SIZE")
	}
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	line := []byte("# nothing but a comment\n")
	data := bytes.Repeat(line, size/len(line)+1)[:size]
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}
