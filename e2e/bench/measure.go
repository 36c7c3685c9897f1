package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// command is what is measured.
type command struct {
	name string
	args []string
	dir  string
	env  []string
	// before each run.
	before func() error
}

// sample is what one command took.
type sample struct {
	name      string
	cpu, wall []time.Duration
	memory    int64 // MiB
	failed    error
}

// measure runs the commands in turns, so that a slow moment hits all of them.
func measure(runs int, commands []command) []*sample {
	out := make([]*sample, len(commands))
	for i, c := range commands {
		out[i] = &sample{name: c.name}
	}
	for range runs {
		for i, c := range commands {
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
	cmd.Env = append(append(os.Environ(), "CUE_REGISTRY=none"), c.env...)
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

// print prints a sample, and tells whether the command ran.
func (s *sample) print() bool {
	fmt.Printf("  %-38s %9.1fms %9.1fms %6dMiB\n", s.name, ms(median(s.cpu)), ms(median(s.wall)), s.memory)
	if s.failed != nil {
		fmt.Println("    failed:", s.failed)
	}
	return s.failed == nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
