package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// grow measures render on each size of a kind of spec. What is barred is how much more
// a spec of the double size takes.
func (b bench) grow(g growth) (bool, error) {
	dir := filepath.Join(b.work, "growing")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	var commands []command
	for _, n := range g.sizes {
		spec, err := g.write(dir, n)
		if err != nil {
			return false, err
		}
		tree := filepath.Join(dir, "tree")
		commands = append(commands, command{
			name:   fmt.Sprintf("%d", n),
			args:   []string{b.bin("gpugen"), "render", spec, "-o", tree},
			env:    []string{"XDG_CACHE_HOME=" + filepath.Join(b.work, "cache"), "HOME=" + b.work},
			before: func() error { return b.setAside(tree) },
		})
	}
	fmt.Printf("%-40s %11s %11s %9s\n", g.name, "CPU", "wall", "peak")
	samples := measure(growingRuns, commands)
	ok := true
	for i, s := range samples {
		ok = s.print() && ok
		if i == 0 || len(s.cpu) == 0 || len(samples[i-1].cpu) == 0 {
			continue
		}
		// Of few runs, the quickest is disturbed least.
		cpu := float64(slices.Min(s.cpu)) / float64(slices.Min(samples[i-1].cpu))
		memory := float64(s.memory) / float64(max(samples[i-1].memory, 1))
		fmt.Printf("    twice the size takes %.2f times the CPU, at most %.1f, and %.2f times the memory, at most %.1f\n", cpu, doublingBar, memory, doublingBar)
		ok = ok && cpu <= doublingBar && memory <= doublingBar
	}
	return ok, nil
}
