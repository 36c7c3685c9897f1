// Command mutate changes one thing at a time in gpugen's Go, rules, templates and
// facts, and runs the tests that should notice. What none notices is listed: each is
// a test that is missing, or something that nobody needs.
//
//	mutate [-base REV] [-seed N] [-skip N] [-count N] [-only REGEXP] [-state FILE] [-whole] [-v]
//
// The work tree is never changed: Go is compiled with an overlay, CUE is handed to
// tests that are compiled already. Mutation tools for Go know no CUE, in which most of
// gpugen is written, and run all tests of a package; so this is a program of our own.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// options are the flags.
type options struct {
	base, only, state string
	seed              int64
	skip, count       int
	whole, verbose    bool
	least             float64
}

func main() {
	var o options
	flag.StringVar(&o.base, "base", "", "change only lines that differ from this revision; default: everything")
	flag.Int64Var(&o.seed, "seed", 1, "which changes are drawn")
	flag.IntVar(&o.skip, "skip", 0, "how many of the drawn are left out first, for a run in parts")
	flag.IntVar(&o.count, "count", 200, "how many changes are tried")
	flag.StringVar(&o.only, "only", "", "change only lines whose PATH:LINE matches, such as '^schema/rules/pin_008.cue:47$'")
	flag.StringVar(&o.state, "state", "", "a file that remembers what came of each change: the same command goes on where it was ended")
	flag.BoolVar(&o.whole, "whole", false, "have all tests try what those near it do not notice, in Go: minutes for each")
	flag.Float64Var(&o.least, "least", 0, "fail if less than this part, from 0 to 1, is noticed")
	flag.BoolVar(&o.verbose, "v", false, "say of each change what noticed it")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o options) error {
	pattern, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	lines, err := changedLines(root, o.base)
	if err != nil {
		return err
	}
	files, err := candidates(root, func(path string, line int) bool {
		return pattern.MatchString(fmt.Sprintf("%s:%d", path, line)) && (lines == nil || lines[path][line])
	})
	if err != nil {
		return err
	}
	remembered, err := readState(o.state)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	j, err := newJudge(root, work, o.whole)
	if err != nil {
		return err
	}
	var survivors []mutation
	byArea := map[string][2]int{}
	tried, drawn, seconds := 0, 0, 0.0
	for m := range draw(files, o.seed) {
		if tried == o.count {
			break
		}
		if drawn++; drawn <= o.skip {
			continue
		}
		v, known, err := remembered.verdict(drawn, m)
		if err != nil {
			return err
		}
		if !known {
			before := spent()
			by, err := j.notices(m)
			if err != nil {
				return err
			}
			v = verdict{drawn, m.String(), by, math.Round(10*(spent()-before).Seconds()) / 10}
			if err := remembered.add(v); err != nil {
				return err
			}
		}
		if v.By == notViable {
			continue
		}
		tried++
		seconds += v.Seconds
		score := byArea[m.area()]
		score[1]++
		if v.By != "" {
			score[0]++
		} else {
			survivors = append(survivors, m)
		}
		byArea[m.area()] = score
		if !known && (o.verbose || v.By == "") {
			fmt.Printf("%3d %-9s %s (%.0fs)\n", tried, map[bool]string{true: "survives", false: v.By}[v.By == ""], m, v.Seconds)
		}
	}
	fmt.Printf("\n%d survive:\n\n", len(survivors))
	for _, m := range survivors {
		fmt.Printf("%s\n%s\n", m, m.diff())
	}
	noticed := tried - len(survivors)
	for _, area := range []string{"go", "rules", "templates", "facts"} {
		if s := byArea[area]; s[1] > 0 {
			fmt.Printf("%-9s %d of %d noticed\n", area, s[0], s[1])
		}
	}
	fmt.Printf("%d of %d noticed, in %.0f s of CPU (seed %d; the next part begins with -skip %d)\n", noticed, tried, seconds, o.seed, drawn-1)
	if float64(noticed) < o.least*float64(tried) {
		return fmt.Errorf("less than %.0f %% are noticed", o.least*100)
	}
	return nil
}

// moduleRoot is the repository, which the program is run in or below.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		data, readErr := os.ReadFile(filepath.Join(dir, "go.mod"))
		if readErr == nil && strings.HasPrefix(string(data), "module github.com/gpugen/gpugen\n") {
			return dir, nil
		}
	}
	return "", fmt.Errorf("not inside of the repository (%v)", err)
}
