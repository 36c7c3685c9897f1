// Command testsummary runs `go test` in one or more modules, shows what failed
// and what was skipped, and ends with one line that counts: nobody overlooks a
// skip.
//
//	testsummary [-run REGEXP] [-timeout D] [-race] MODULE...
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	flags := []string{"test", "-count=1", "-json"}
	run := flag.String("run", "", "as of go test")
	timeout := flag.String("timeout", "15m", "as of go test")
	race := flag.Bool("race", false, "as of go test")
	flag.Parse()
	flags = append(flags, "-timeout="+*timeout)
	if *run != "" {
		flags = append(flags, "-run="+*run)
	}
	if *race {
		flags = append(flags, "-race")
	}
	s := &summary{out: os.Stdout, output: map[string][]string{}, failedIn: map[string]bool{}}
	for _, dir := range flag.Args() {
		if err := s.module(dir, flags); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", dir, err)
		}
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
	if s.failed > 0 || s.passed == 0 {
		os.Exit(1)
	}
}

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

type summary struct {
	out                     io.Writer
	passed, failed, skipped int
	// output of each test that has not ended yet; that of packages under their
	// own name.
	output map[string][]string
	// failedIn are the packages with a failed test.
	failedIn map[string]bool
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
		s.failed++
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
	if err := lines.Err(); err != nil {
		s.failed++
		return err
	}
	if err := cmd.Wait(); err != nil && s.failed == before {
		s.failed++
		return err
	}
	return nil
}

func (s *summary) add(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		s.output[key] = append(s.output[key], e.Output)
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			s.ended(e)
		} else {
			s.count(e)
		}
		delete(s.output, key)
	}
}

// count adds a test that has ended, and shows what it said unless it passed.
func (s *summary) count(e event) {
	said := strings.Join(s.output[e.Package+" "+e.Test], "")
	switch e.Action {
	case "pass":
		s.passed++
	case "fail":
		s.failed++
		s.failedIn[e.Package] = true
		fmt.Fprintf(s.out, "%s: %s", e.Package, said)
	case "skip":
		s.skipped++
		fmt.Fprintf(s.out, "%s: %s", e.Package, said)
	}
}

// ended says how a package went. One that fails without a failed test did not
// build, or died.
func (s *summary) ended(e event) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(s.out, "ok    %s (%.1fs)\n", e.Package, e.Elapsed)
	case "fail":
		if !s.failedIn[e.Package] {
			s.failed++
			fmt.Fprint(s.out, strings.Join(s.output[e.Package+" "], ""))
		}
		fmt.Fprintf(s.out, "FAIL  %s (%.1fs)\n", e.Package, e.Elapsed)
	}
}
