// Command bench measures gpugen beside the tools that a person would use instead, and
// on specs that grow, in one run, so that only ratios count: the machine may be slow
// or shared. It must not be part of any test.
//
//	go run . [-runs 7] [-example NAME] [-growing=false]
//
// It prints medians of CPU time (user and system) and of wall-clock time, and the
// peak of memory, and exits with 1 if a bar is missed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	runs := flag.Int("runs", 7, "number of runs of each command")
	example := flag.String("example", "", "folder of examples/ to measure with (default all)")
	grow := flag.Bool("growing", true, "measure specs that grow as well")
	flag.Parse()
	ok, err := run(*runs, *example, *grow)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(runs int, example string, grow bool) (bool, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "gpugen-bench-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	b := bench{root: root, work: work}
	if err := b.build(); err != nil {
		return false, err
	}
	examples, err := b.examples()
	if err != nil {
		return false, err
	}
	ok := true
	for _, name := range examples {
		if example != "" && name != example {
			continue
		}
		met, err := b.compare(name, runs)
		if err != nil {
			return false, err
		}
		ok = ok && met
	}
	if grow {
		for _, g := range growing {
			met, err := b.grow(g)
			if err != nil {
				return false, err
			}
			ok = ok && met
		}
	}
	return ok, nil
}

// bench has the programs and what they work on.
type bench struct {
	root, work string
}

func (b bench) bin(name string) string { return filepath.Join(b.work, name) }

func (b bench) examples() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(b.root, "examples", "*", "cluster.cue"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no examples: %w", err)
	}
	var out []string
	for _, file := range files {
		out = append(out, filepath.Base(filepath.Dir(file)))
	}
	slices.Sort(out)
	return out, nil
}

// setAside takes a tree out of the way of the next run. It is not deleted here: for some
// seconds a file system may search past what was just deleted for each file that it makes
// (ext4 does), which was half of what 1,000 tenants took, and is not gpugen's work.
func (b bench) setAside(tree string) error {
	aside, err := os.MkdirTemp(b.work, "aside-")
	if err != nil {
		return err
	}
	if err := os.Rename(tree, filepath.Join(aside, "tree")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
