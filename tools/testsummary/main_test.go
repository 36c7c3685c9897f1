package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestEveryTestIsCountedAndOnlyTheGoodOnesAreSilent(t *testing.T) {
	var out bytes.Buffer
	s := &summary{out: &out, output: map[string][]string{}, failedIn: map[string]bool{}}
	for _, e := range []event{
		{Action: "output", Package: "a", Test: "TestGood", Output: "good says\n"},
		{Action: "pass", Package: "a", Test: "TestGood"},
		{Action: "output", Package: "a", Test: "TestBad", Output: "bad says\n"},
		{Action: "fail", Package: "a", Test: "TestBad"},
		{Action: "output", Package: "a", Test: "TestIdle", Output: "idle says\n"},
		{Action: "skip", Package: "a", Test: "TestIdle"},
		{Action: "fail", Package: "a"},
		{Action: "output", Package: "dead", Output: "panic\n"},
		{Action: "fail", Package: "dead"},
		{Action: "skip", Package: "empty"},
		{Action: "pass", Package: "fine"},
	} {
		s.add(e)
	}
	if s.passed != 1 || s.failed != 2 || s.skipped != 1 {
		t.Errorf("%d passed, %d failed, %d skipped", s.passed, s.failed, s.skipped)
	}
	for _, want := range []string{"bad says", "idle says", "FAIL  a", "panic", "FAIL  dead", "ok    fine"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "good says") {
		t.Errorf("what passed is shown:\n%s", &out)
	}
}
