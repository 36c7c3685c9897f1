// Command bench measures gpugen beside the tools that a person would use
// instead, in one run, so that only ratios count: the machine may be slow or
// shared. It must not be part of any test.
//
//	go run . [-runs 15] [-example onprem-h100]
//
// It prints medians of CPU time (user and system) and of wall-clock time, and
// exits with 1 if a bar is missed.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Bars that gpugen sets itself.
const (
	vetBar    = 1.25 // of cue vet
	renderBar = 0.60 // of cue export and kustomize build of each directory
	memoryBar = 150  // MiB at the peak
)

func main() {
	runs := flag.Int("runs", 15, "number of runs of each command")
	example := flag.String("example", "onprem-h100", "folder of examples/ to measure with")
	flag.Parse()
	ok, err := run(*runs, *example)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(runs int, example string) (bool, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "gpugen-bench-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	if err := build(root, work); err != nil {
		return false, err
	}
	spec := filepath.Join(root, "examples", example)
	tree := filepath.Join(work, "tree")
	if err := exec.Command(filepath.Join(work, "gpugen"), "render", spec, "-o", tree).Run(); err != nil {
		return false, fmt.Errorf("render %s: %w", example, err)
	}
	plain, err := plainCUE(root, work, spec)
	if err != nil {
		return false, err
	}
	m := measure(runs, commands(work, spec, tree, plain))
	return report(m, example), nil
}

// build makes the three programs.
func build(root, work string) error {
	tools := filepath.Join(root, "e2e", "bench", "tools")
	for _, b := range []struct{ name, dir, pkg string }{
		{"gpugen", root, "./cmd/gpugen"},
		{"cue", tools, "cuelang.org/go/cmd/cue"},
		{"kustomize", tools, "sigs.k8s.io/kustomize/kustomize/v5"},
	} {
		c := exec.Command("go", "build", "-o", filepath.Join(work, b.name), b.pkg)
		c.Dir, c.Stderr = b.dir, os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("build %s: %w", b.name, err)
		}
	}
	return nil
}

// plainCUE lays out the same knowledge base and spec for the cue command: one
// package whose field input is the spec.
func plainCUE(root, work, spec string) (string, error) {
	dir := filepath.Join(work, "plain")
	for _, part := range []string{"cue.mod", "schema", "templates"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(root, part))); err != nil {
			return "", err
		}
	}
	text, err := os.ReadFile(filepath.Join(spec, "cluster.cue"))
	if err != nil {
		return "", err
	}
	_, body, ok := strings.Cut(string(text), "\npackage cluster\n")
	if !ok {
		return "", fmt.Errorf("%s: no package clause", spec)
	}
	plain := "package plain\n\nimport (\n\tr \"github.com/gpugen/gpugen/schema/rules\"\n\ts \"github.com/gpugen/gpugen/schema/spec\"\n)\n\nall: r & {input: s.#Spec & {\n" + body + "\n}}\n"
	return dir, os.WriteFile(filepath.Join(dir, "plain.cue"), []byte(plain), 0o644)
}

type command struct {
	name string
	args []string
	dir  string
	// before each run.
	before func() error
}

func commands(work, spec, tree, plain string) []command {
	bin := func(name string) string { return filepath.Join(work, name) }
	fresh := filepath.Join(work, "fresh")
	out := []command{
		{name: "gpugen vet", args: []string{bin("gpugen"), "vet", spec}},
		{name: "cue vet", args: []string{bin("cue"), "vet", "-c=false", "."}, dir: plain},
		{name: "gpugen render", args: []string{bin("gpugen"), "render", spec, "-o", fresh}, before: func() error { return os.RemoveAll(fresh) }},
		{name: "cue export", args: []string{bin("cue"), "export", ".", "-e", "all.components"}, dir: plain},
	}
	kustomizations, _ := filepath.Glob(filepath.Join(tree, "*", "kustomization.yaml"))
	for _, k := range append(kustomizations, filepath.Join(tree, "kustomization.yaml")) {
		dir := filepath.Dir(k)
		out = append(out, command{name: "kustomize build " + filepath.Base(dir), args: []string{bin("kustomize"), "build", dir}})
	}
	return out
}

// sample is what one command took.
type sample struct {
	name      string
	cpu, wall []time.Duration
	memory    int64 // MiB
	failed    error
}

// measure runs the commands in turns, so that a slow moment hits all of them.
func measure(runs int, cs []command) []*sample {
	out := make([]*sample, len(cs))
	for i, c := range cs {
		out[i] = &sample{name: c.name}
	}
	for range runs {
		for i, c := range cs {
			out[i].add(c)
		}
	}
	return out
}

func (s *sample) add(c command) {
	if c.before != nil {
		if err := c.before(); err != nil {
			s.failed = err
			return
		}
	}
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "CUE_REGISTRY=none")
	start := time.Now()
	if err := cmd.Run(); err != nil {
		s.failed = fmt.Errorf("%s: %w", c.name, err)
		return
	}
	s.wall = append(s.wall, time.Since(start))
	s.cpu = append(s.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.memory = max(s.memory, usage.Maxrss>>10)
	}
}

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.SortedFunc(slices.Values(d), cmp.Compare[time.Duration])
	return sorted[len(sorted)/2]
}

// report prints the table and the ratios, and tells whether every bar was met.
func report(samples []*sample, example string) bool {
	ok := true
	fmt.Printf("%-40s %10s %10s %8s\n", example, "CPU", "wall", "peak")
	for _, s := range samples {
		fmt.Printf("%-40s %8.1fms %8.1fms %5dMiB\n", s.name, ms(median(s.cpu)), ms(median(s.wall)), s.memory)
		if s.failed != nil {
			fmt.Println("  failed:", s.failed)
			ok = false
		}
	}
	cpu := func(s *sample) time.Duration { return median(s.cpu) }
	wall := func(s *sample) time.Duration { return median(s.wall) }
	for _, r := range []struct {
		name    string
		bar     float64
		ours    string
		against []string
	}{
		{"vet / cue vet", vetBar, "gpugen vet", []string{"cue vet"}},
		{"render / (cue export + kustomize build)", renderBar, "gpugen render", []string{"cue export", "kustomize build"}},
	} {
		byCPU, byWall := ratio(samples, cpu, r.ours, r.against), ratio(samples, wall, r.ours, r.against)
		fmt.Printf("%-40s %10.2f %10.2f   at most %.2f\n", r.name, byCPU, byWall, r.bar)
		ok = ok && byCPU <= r.bar && byWall <= r.bar
	}
	for _, s := range samples {
		if strings.HasPrefix(s.name, "gpugen") && s.memory > memoryBar {
			fmt.Printf("%s: peak %d MiB, at most %d\n", s.name, s.memory, memoryBar)
			ok = false
		}
	}
	return ok
}

func ratio(samples []*sample, of func(*sample) time.Duration, ours string, against []string) float64 {
	var a, b time.Duration
	for _, s := range samples {
		if s.name == ours {
			a += of(s)
		}
		if slices.ContainsFunc(against, func(p string) bool { return strings.HasPrefix(s.name, p) }) {
			b += of(s)
		}
	}
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
