package load

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// endless are specs whose evaluation does not end in any useful time. Each runs
// in a process of its own, because nothing can stop the evaluation.
var endless = map[string]string{
	"range":         "import \"list\"\n_x: list.Range(0, 1e12, 1)\nname: \"x\\(len(_x))\"\n",
	"comprehension": "import \"list\"\n_r: list.Range(0, 300, 1)\n_x: [for a in _r for b in _r for c in _r {a*b*c}]\nname: \"x\\(len(_x))\"\n",
	"doubling":      "_a0: \"xxxxxxxxxxxxxxxx\"\n" + doublings(40) + "name: _a40\n",
}

func doublings(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("_a" + itoa(i+1) + ": _a" + itoa(i) + " + _a" + itoa(i) + "\n")
	}
	return b.String()
}

func itoa(i int) string { return strings.TrimSuffix(source.PathString([]any{i}), "]")[1:] }

const endlessVariable = "GPUGEN_TEST_ENDLESS"

func TestAnEndlessSpecIsOneFinding(t *testing.T) {
	if name := os.Getenv(endlessVariable); name != "" {
		e, err := newLoaderForTest()
		if err != nil {
			t.Fatal(err)
		}
		e.engine.Limits = watchdog.Limits{Time: 2 * time.Second, Heap: 256 << 20}
		spectest.WriteFiles(t, map[string]string{"a.cue": endless[name]})
		spec, found := e.load(source.Input{Path: "a.cue"})
		if got := spectest.Brief(found); spec != nil || !slices.Equal(got, []string{"a.cue:1:1 SPEC-014"}) {
			os.Stdout.WriteString("found " + strings.Join(got, ", ") + "\n")
			os.Exit(3)
		}
		os.Exit(0)
	}
	for _, name := range []string{"range", "comprehension", "doubling"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestAnEndlessSpecIsOneFinding$")
			cmd.Env = append(os.Environ(), endlessVariable+"="+name, "GOMEMLIMIT=2GiB")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
