// Command testsummary runs `go test` in one or more modules and shows what failed,
// what died, what did not build and what was skipped. It ends with the names of
// what failed, the CPU time, and one line that counts: nobody overlooks a skip.
//
//	testsummary [-run REGEXP] [-timeout D] [-race] MODULE...
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

func main() {
	flags := []string{"test", "-count=1", "-json"}
	run := flag.String("run", "", "as of go test")
	timeout := flag.String("timeout", "10m", "as of go test")
	race := flag.Bool("race", false, "as of go test")
	flag.Parse()
	flags = append(flags, "-timeout="+*timeout)
	if *run != "" {
		flags = append(flags, "-run="+*run)
	}
	if *race {
		flags = append(flags, "-race")
	}
	s := newSummary(os.Stdout)
	for _, dir := range flag.Args() {
		if err := s.module(dir, flags); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", dir, err)
		}
	}
	s.end()
	if s.failed > 0 || s.passed == 0 {
		os.Exit(1)
	}
}

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test, Output, ImportPath string
	// FailedBuild names the package that did not build, if that is why this one failed.
	FailedBuild string
	Elapsed     float64
}

type summary struct {
	out                     io.Writer
	passed, failed, skipped int
	cpu                     time.Duration
	// names of what failed.
	names []string
	// output of each test of a package that has not ended yet; that of the package
	// itself under "".
	output map[string]map[string][]string
	// failedIn are the packages with a failed test.
	failedIn map[string]bool
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, output: map[string]map[string][]string{}, failedIn: map[string]bool{}}
}

// module tests all packages of the module in a directory. The error says that
// `go test` failed without saying of which test; it is counted.
func (s *summary) module(dir string, flags []string) error {
	cmd := exec.Command("go", append(flags, "./...")...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		s.fail(dir)
		return err
	}
	before := s.failed
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(s.out, lines.Text())
			continue
		}
		s.add(e)
	}
	readErr := lines.Err()
	err = cmd.Wait()
	s.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case readErr != nil:
		s.fail(dir)
		return readErr
	case err != nil && s.failed == before:
		s.fail(dir)
		return err
	}
	return nil
}

func (s *summary) add(e event) {
	switch e.Action {
	case "output":
		if s.output[e.Package] == nil {
			s.output[e.Package] = map[string][]string{}
		}
		s.output[e.Package][e.Test] = append(s.output[e.Package][e.Test], e.Output)
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			s.ended(e)
			delete(s.output, e.Package)
		} else {
			s.count(e)
			delete(s.output[e.Package], e.Test)
		}
	}
}

// fail counts something that failed.
func (s *summary) fail(name string) {
	s.failed++
	s.names = append(s.names, name)
}

// count adds a test that has ended, and shows what it said unless it passed.
func (s *summary) count(e event) {
	said := s.output[e.Package][e.Test]
	switch e.Action {
	case "pass":
		s.passed++
	case "fail":
		s.fail(e.Package + " " + e.Test)
		s.failedIn[e.Package] = true
		fmt.Fprintf(s.out, "%s: %s", e.Package, shortened(said))
	case "skip":
		s.skipped++
		fmt.Fprintf(s.out, "%s: %s", e.Package, shortened(said))
	}
}

// ended says how a package went. Of one that fails all is shown that has not been
// yet: it may have died while several tests ran, and any of them may have said why.
func (s *summary) ended(e event) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(s.out, "ok    %s (%.1fs)\n", e.Package, e.Elapsed)
	case "fail":
		reason := ""
		for _, test := range slices.Sorted(maps.Keys(s.output[e.Package])) {
			said := s.output[e.Package][test]
			reason = cmp.Or(reason, death(said))
			if test != "" {
				fmt.Fprintf(s.out, "%s: %s did not end\n", e.Package, test)
			}
			fmt.Fprint(s.out, shortened(said))
		}
		switch {
		case e.FailedBuild != "":
			reason = e.FailedBuild + " does not build"
		case reason == "" && !s.failedIn[e.Package]:
			reason = "it failed outside of its tests"
		}
		if reason != "" {
			s.fail(e.Package + ": " + reason)
		}
		fmt.Fprintf(s.out, "FAIL  %s (%.1fs)\n", e.Package, e.Elapsed)
	}
}

// death is the line that says why a process died, or "".
func death(said []string) string {
	for _, line := range said {
		for _, start := range []string{"panic: ", "fatal error: ", "signal: "} {
			if strings.HasPrefix(line, start) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// mostLines of what one test says are shown; a time-out prints every goroutine.
const mostLines = 200

func shortened(said []string) string {
	lines := strings.SplitAfter(strings.Join(said, ""), "\n")
	if len(lines) <= mostLines {
		return strings.Join(lines, "")
	}
	return strings.Join(lines[:mostLines], "") + fmt.Sprintf("... %d more lines\n", len(lines)-mostLines)
}

// end prints what failed, once more and by name, and the counts.
func (s *summary) end() {
	for _, name := range s.names {
		fmt.Fprintf(s.out, "failed: %s\n", name)
	}
	fmt.Fprintf(s.out, "%.0f seconds of CPU\n", s.cpu.Seconds())
	fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
}
