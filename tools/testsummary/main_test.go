package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryTestIsCountedAndOnlyTheGoodOnesAreSilent(t *testing.T) {
	var out bytes.Buffer
	s := newSummary(&out)
	for _, e := range []event{
		{Action: "output", Package: "a", Test: "TestGood", Output: "good says\n"},
		{Action: "pass", Package: "a", Test: "TestGood"},
		{Action: "output", Package: "a", Test: "TestBad", Output: "bad says\n"},
		{Action: "fail", Package: "a", Test: "TestBad"},
		{Action: "output", Package: "a", Test: "TestIdle", Output: "idle says\n"},
		{Action: "skip", Package: "a", Test: "TestIdle"},
		{Action: "fail", Package: "a"},
		{Action: "output", Package: "dead", Output: "exit status 7\n"},
		{Action: "fail", Package: "dead"},
		{Action: "skip", Package: "empty"},
		{Action: "pass", Package: "fine"},
	} {
		s.add(e)
	}
	if s.passed != 1 || s.failed != 2 || s.skipped != 1 {
		t.Errorf("%d passed, %d failed, %d skipped", s.passed, s.failed, s.skipped)
	}
	s.end()
	for _, want := range []string{"bad says", "idle says", "FAIL  a", "exit status 7", "FAIL  dead", "ok    fine", "failed: a TestBad\n", "\n1 passed, 2 failed, 1 skipped\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "good says") {
		t.Errorf("what passed is shown:\n%s", &out)
	}
}

// What kills a package is shown whatever way it dies, as go test really says it.
func TestWhyAPackageDiedIsShown(t *testing.T) {
	const parallel = "func TestA(t *testing.T) {\n\tt.Parallel()\n\tprintln(\"a runs\")\n\tselect {}\n}\nfunc TestB(t *testing.T) {\n\tt.Parallel()\n\tselect {}\n}\n"
	for name, c := range map[string]struct {
		test string
		want []string
	}{
		"a panic in a test":          {"func TestA(t *testing.T) { panic(\"reason\") }\n", []string{"panic: reason", "failed: dies TestA"}},
		"a panic beside the tests":   {"func TestA(t *testing.T) { go func() { panic(\"reason\") }(); select {} }\n", []string{"panic: reason"}},
		"a panic before the tests":   {"var _ = func() int { panic(\"reason\") }()\nfunc TestA(t *testing.T) {}\n", []string{"panic: reason", "failed: dies: panic: reason"}},
		"a time-out":                 {parallel, []string{"panic: test timed out after 1s", "a runs"}},
		"an exit":                    {"func TestA(t *testing.T) { os.Exit(7) }\nvar _ = os.Exit\n", []string{"FAIL  dies", "failed: dies"}},
		"a test that does not build": {"func TestA(t *testing.T) { nothing() }\n", []string{"undefined: nothing", "does not build"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			imports := "package dies\n\nimport \"testing\"\n\n"
			if strings.Contains(c.test, "os.") {
				imports += "import \"os\"\n\n"
			}
			for file, text := range map[string]string{"go.mod": "module dies\n\ngo 1.26\n", "dies.go": "package dies\n", "dies_test.go": imports + c.test} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			s := newSummary(&out)
			if err := s.module(dir, []string{"test", "-count=1", "-json", "-timeout=1s"}); err != nil {
				t.Error(err)
			}
			s.end()
			if s.failed == 0 {
				t.Error("nothing failed")
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, &out)
				}
			}
		})
	}
}
