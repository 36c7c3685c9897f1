package schema

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"cuelang.org/go/cue/ast"
	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
)

// baseSpec is the minimal good spec that rules' examples are laid over.
var baseSpec = sync.OnceValue(func() map[string]any {
	data, err := os.ReadFile("testdata/rules/base.yaml")
	if err != nil {
		panic(err)
	}
	var spec map[string]any
	if err := yaml.Unmarshal(data, &spec); err != nil {
		panic(err)
	}
	return spec
})

// catalogueRules are the rules that are written in CUE.
var catalogueRules = sync.OnceValue(func() []Rule {
	all, err := Catalogue()
	if err != nil {
		panic(err)
	}
	return slices.DeleteFunc(all, func(r Rule) bool { return r.Source == "" })
})

// notIn is what of lower a tree laid over it does not replace.
func notIn(upper, lower map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range lower {
		above, ok := upper[key]
		if !ok {
			out[key] = value
			continue
		}
		a, isMap := above.(map[string]any)
		b, wasMap := value.(map[string]any)
		if isMap && wasMap {
			if rest := notIn(a, b); len(rest) > 0 {
				out[key] = rest
			}
		}
	}
	return out
}

// inOrder is a spec as a tree in the order of its keys.
func inOrder(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := tree{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, branch{key, inOrder(v[key])})
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = inOrder(e)
		}
		return out
	}
	return v
}

// engines are shared by all tests of the package: at most one a processor, since
// one serves one goroutine at a time.
var engines = unusedEngines(runtime.GOMAXPROCS(0))

// specsOfAnEngine are judged before a CUE context is replaced: it never lets go of
// what was evaluated in it, some 10 MiB a spec.
const specsOfAnEngine = 5

// sharedEngine is an engine that somebody uses, or nobody. Its syntax is its own,
// since engines that share syntax cannot work beside each other: compiling writes
// to it.
type sharedEngine struct {
	*evaluator
	base  *knowledge.Base
	specs int
}

func unusedEngines(n int) chan *sharedEngine {
	out := make(chan *sharedEngine, n)
	for range n {
		out <- &sharedEngine{}
	}
	return out
}

// borrow takes one of the shared engines; the caller gives it back.
func borrow(t testing.TB) *sharedEngine {
	t.Helper()
	shared := <-engines
	var err error
	if shared.base == nil {
		shared.base, err = knowledge.Parse()
	}
	if err == nil && (shared.evaluator == nil || shared.specs >= specsOfAnEngine) {
		var e *knowledge.Engine
		if e, err = shared.base.Compile(); err == nil {
			shared.evaluator, shared.specs = newEvaluator(e), 0
		}
	}
	if err != nil {
		shared.giveBack()
		t.Fatal(err)
	}
	return shared
}

func (s *sharedEngine) giveBack() { engines <- s }

// judge evaluates an input with one of the shared engines.
func judge(t testing.TB, in Input) (*Cluster, diag.List) {
	t.Helper()
	shared := borrow(t)
	defer shared.giveBack()
	shared.specs++
	cluster, found := shared.evaluate(in)
	noneOfThemWasSilent(t, shared, cluster, found)
	return cluster, found
}

// privateEngine is an engine with rules that a test has changed.
func privateEngine(t testing.TB, change func(rules *ast.File)) *evaluator {
	t.Helper()
	base, err := knowledge.Parse()
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		for _, f := range base.Packages[knowledge.RulesPackage].Files {
			change(f)
		}
	}
	e, err := base.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return newEvaluator(e)
}

// document is one file of an input, and where its labels are.
type document struct {
	name string
	*written
}

// documents is an input of one or more files.
type documents struct {
	format string
	dir    string
	files  []document
}

// single writes a spec as one file of a format.
func single(format string, spec map[string]any) documents {
	return documents{format: format, files: []document{{"", write(format, inOrder(spec).(tree))}}}
}

// judge evaluates the documents.
func (d documents) judge(t testing.TB) (*Cluster, diag.List) {
	t.Helper()
	if len(d.files) == 1 && d.files[0].name == "" {
		return judge(t, Input{Path: "-", Format: d.format, Stdin: strings.NewReader(d.files[0].Text.String())})
	}
	root := t.TempDir()
	for _, f := range d.files {
		file := filepath.Join(root, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(f.Text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return judge(t, Input{Path: filepath.Join(root, filepath.FromSlash(d.dir))})
}

// places lists where the label of a path, or of what is nearest above it, is
// written; exact is false if it is something above. Of what is written nowhere, it
// is the start of the spec.
func (d documents) places(at []any) (out []string, exact bool) {
	for n := len(at); n > 0; n-- {
		for _, f := range d.files {
			if place, ok := f.written.Places[PathString(at[:n])]; ok {
				out = append(out, fmt.Sprintf("%s:%d:%d", baseName(f.name), place[0], place[1]))
			}
		}
		if len(out) > 0 {
			return out, n == len(at)
		}
	}
	for _, f := range d.files {
		if path.Dir(f.name) == path.Clean(d.dir) {
			out = append(out, baseName(f.name)+":1:1")
		}
	}
	return out, false
}

// baseName names a file in messages of tests; "." stands for standard input.
func baseName(name string) string { return path.Base(name) }

func (d documents) String() string {
	var out strings.Builder
	for _, f := range d.files {
		fmt.Fprintf(&out, "-- %s --\n%s", f.name, f.Text.String())
	}
	return out.String()
}
