package schema

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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

func itoa(i int) string { return strings.TrimSuffix(PathString([]any{i}), "]")[1:] }

const endlessVariable = "GPUGEN_TEST_ENDLESS"

func TestAnEndlessSpecIsOneFinding(t *testing.T) {
	if name := os.Getenv(endlessVariable); name != "" {
		e, err := newSpecEngine()
		if err != nil {
			t.Fatal(err)
		}
		e.limits = Limits{time: 2 * time.Second, heap: 256 << 20}
		writeFiles(t, map[string]string{"a.cue": endless[name]})
		spec, found := e.load(Input{Path: "a.cue"})
		if got := brief(found); spec != nil || !slices.Equal(got, []string{"a.cue:1:1 SPEC-014"}) {
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

func TestOnlyWhatWasComputedCounts(t *testing.T) {
	limit := Limits{}.orDefaults()
	for name, c := range map[string]struct {
		spent spent
		over  string
	}{
		"a busy machine":           {spent{passed: time.Minute, computed: 9 * time.Second}, ""},
		"other work beside it":     {spent{passed: 9 * time.Second, computed: time.Minute}, ""},
		"an endless evaluation":    {spent{passed: 11 * time.Second, computed: 11 * time.Second}, "10s of computing"},
		"an evaluation that waits": {spent{passed: 11 * time.Minute}, "10m0s"},
		"memory":                   {spent{heap: 1<<30 + 1}, "1024 MiB of memory"},
	} {
		if got := limit.exceeded(c.spent); got != c.over {
			t.Errorf("%s: %q, want %q", name, got, c.over)
		}
	}
}

func TestGuard(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	var done atomic.Bool
	defer done.Store(true)
	f, tripped := guard(Limits{time: 30 * time.Millisecond, every: time.Millisecond}, "the spec", func() {
		for !done.Load() {
		}
	})
	if !tripped || f.ID != idEndless || !strings.Contains(f.Message, "30ms of computing") {
		t.Errorf("time: %v %+v", tripped, f)
	}
	f, tripped = guard(Limits{wall: 30 * time.Millisecond, every: time.Millisecond}, "the spec", func() { <-block })
	if !tripped || f.ID != idEndless || !strings.Contains(f.Message, "30ms") {
		t.Errorf("waiting: %v %+v", tripped, f)
	}
	f, tripped = guard(Limits{heap: 32 << 20, every: time.Millisecond}, "the spec", func() {
		held := make([]byte, 128<<20)
		for i := range held {
			held[i] = 1
		}
		<-block
	})
	if !tripped || f.ID != idEndless || !strings.Contains(f.Message, "32 MiB") {
		t.Errorf("memory: %v %+v", tripped, f)
	}
	f, tripped = guard(Limits{}, "the spec", func() { panic("index out of range\nand more") })
	if !tripped || f.ID != idEvaluator || strings.Contains(f.Message, "and more") {
		t.Errorf("panic: %v %+v", tripped, f)
	}
	ran := false
	if f, tripped = guard(Limits{}, "the spec", func() { ran = true }); tripped || !ran {
		t.Errorf("good: %v %+v", tripped, f)
	}
}
