// Command mutate changes one thing at a time in gpugen's Go, rules, templates and
// facts, and runs the tests that should notice. What none notices is listed: each is
// a test that is missing, or something that nobody needs.
//
//	mutate [-base REV] [-seed N] [-skip N] [-count N] [-only REGEXP] [-whole] [-v]
//
// The work tree is never changed: Go is compiled with an overlay, CUE is handed to
// tests that are compiled already. Mutation tools for Go know no CUE, in which most of
// gpugen is written, and run all tests of a package; so this is a program of our own.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	base := flag.String("base", "", "change only lines that differ from this revision; default: everything")
	seed := flag.Int64("seed", 1, "which changes are drawn")
	skip := flag.Int("skip", 0, "how many of the drawn are left out first, for a run in parts")
	count := flag.Int("count", 200, "how many changes are tried")
	only := flag.String("only", "", "change only files whose path matches")
	whole := flag.Bool("whole", false, "have all tests try what those near it do not notice, in Go: minutes for each")
	least := flag.Float64("least", 0, "fail if less than this part, from 0 to 1, is noticed")
	verbose := flag.Bool("v", false, "say of each change what noticed it")
	flag.Parse()
	if err := run(*base, *seed, *skip, *count, *only, *least, *whole, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(base string, seed int64, skip, count int, only string, least float64, whole, verbose bool) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	lines, err := changedLines(root, base)
	if err != nil {
		return err
	}
	files, err := candidates(root, func(path string, line int) bool {
		return pattern.MatchString(path) && (lines == nil || lines[path][line])
	})
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	j, err := newJudge(root, work, whole)
	if err != nil {
		return err
	}
	var survivors []mutation
	byArea := map[string][2]int{}
	tried, drawn := 0, 0
	for m := range draw(files, seed) {
		if tried == count {
			break
		}
		if drawn++; drawn <= skip {
			continue
		}
		began := time.Now()
		by, err := j.notices(m)
		if err != nil {
			return err
		}
		if by == notViable {
			continue
		}
		tried++
		score := byArea[m.area()]
		score[1]++
		if by != "" {
			score[0]++
		} else {
			survivors = append(survivors, m)
		}
		byArea[m.area()] = score
		if verbose || by == "" {
			fmt.Printf("%3d %-9s %s (%.0fs)\n", tried, map[bool]string{true: "survives", false: by}[by == ""], m, time.Since(began).Seconds())
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
	fmt.Printf("%d of %d noticed (seed %d; the next part begins with -skip %d)\n", noticed, tried, seed, drawn-1)
	if float64(noticed) < least*float64(tried) {
		return fmt.Errorf("less than %.0f %% are noticed", least*100)
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
