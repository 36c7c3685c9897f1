package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// program writes a shell script that can be run.
func program(t *testing.T, dir, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script")
	}
	file := filepath.Join(dir, chartCommand)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTheProgramBesideGpugenComesBeforePATH(t *testing.T) {
	beside, onPath := t.TempDir(), t.TempDir()
	first, second := program(t, beside, "exit 0"), program(t, onPath, "exit 0")
	t.Setenv("PATH", onPath)
	if got, err := findProgram(beside, chartCommand); got != first || err != nil {
		t.Errorf("found %q (%v), want %q", got, err, first)
	}
	for _, dir := range []string{"", t.TempDir()} {
		if got, err := findProgram(dir, chartCommand); got != second || err != nil {
			t.Errorf("found %q (%v), want %q", got, err, second)
		}
	}
}

// What lies in a checkout that somebody works in is never run unasked.
func TestAMissingProgramIsAnErrorThatSaysHowToGetIt(t *testing.T) {
	here := t.TempDir()
	program(t, here, "exit 0")
	t.Chdir(here)
	for _, path := range []string{t.TempDir(), "."} {
		t.Setenv("PATH", path)
		got, err := findProgram(t.TempDir(), chartCommand)
		if err == nil || !strings.Contains(err.Error(), "go run ./cmd/gpugen-chart") {
			t.Errorf("PATH=%s: found %q (%v)", path, got, err)
		}
	}
}

func TestAProgramHasGpugensArgumentsStreamsAndExitCode(t *testing.T) {
	var out, errOut bytes.Buffer
	s := streams{in: strings.NewReader("asked"), out: &out, err: &errOut}
	file := program(t, t.TempDir(), `echo "$# $2 $(cat)"; echo said >&2; exit 7`)
	err := runProgram(context.Background(), s, file, []string{"index", "--x=a b"})
	if err != exit(7) || out.String() != "2 --x=a b asked\n" || errOut.String() != "said\n" {
		t.Errorf("ended by %v, printed %q and %q", err, &out, &errOut)
	}
	if err := runProgram(context.Background(), s, program(t, t.TempDir(), "kill -9 $$"), nil); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("a program that was killed ended by %v", err)
	}
}
