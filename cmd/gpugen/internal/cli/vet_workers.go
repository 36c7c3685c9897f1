package cli

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// workerVariable, when set, makes vet a worker: it writes a verdict for each spec
// to standard output, in the encoding of Go's gob, and ends where the evaluation
// of one cannot be stopped.
const workerVariable = "GPUGEN_VET_WORKER"

// verdict is what a worker has found in one of its specs.
type verdict struct{ Findings diag.List }

// vetEach judges each spec and writes its verdict. CUE cannot be cancelled: after
// a spec that does not finish the process must end, and so the verdict on it is
// the last.
func (f *findingFlags) vetEach(s streams, args []string) error {
	out := gob.NewEncoder(s.out)
	for _, arg := range args {
		_, found := evaluate(f.spec(s, []string{arg}))
		if err := out.Encode(verdict{found}); err != nil {
			return err
		}
		if watchdog.Abandoned() {
			return nil
		}
	}
	return nil
}

// vetApart judges specs in processes of their own, some at a time, so that one
// that never finishes, or brings its process down, takes no other with it.
//
// flags are those of the command line, without the specs.
func vetApart(ctx context.Context, s streams, flags, args []string) (diag.List, error) {
	var (
		findings = make([]diag.List, len(args))
		failures = make([]error, len(args))
		group    sync.WaitGroup
	)
	// Each worker reads what gpugen knows anew: that pays from some specs on.
	const leastShare = 4
	share := max(leastShare, (len(args)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	for begin := 0; begin < len(args); begin += share {
		end := min(begin+share, len(args))
		group.Go(func() {
			for begin < end {
				done, err := vetInWorker(ctx, s, flags, args[begin:end], findings[begin:end])
				if err != nil {
					failures[begin] = err
					return
				}
				begin += done
			}
		})
	}
	group.Wait()
	return slices.Concat(findings...), errors.Join(failures...)
}

// vetInWorker has one process judge specs, and returns how many of them it has
// judged: all, or those up to one that ended the process.
func vetInWorker(ctx context.Context, s streams, flags, specs []string, findings []diag.List) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	worker := exec.CommandContext(ctx, self)
	worker.Args = slices.Concat([]string{os.Args[0], "vet"}, flags, []string{"--"}, specs)
	worker.Env = append(os.Environ(), workerVariable+"=1")
	if slices.Contains(specs, "-") {
		worker.Stdin = s.in
	}
	var said lastWords
	worker.Stderr = &said
	out, err := worker.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := worker.Start(); err != nil {
		return 0, err
	}
	in := gob.NewDecoder(out)
	done := 0
	for done < len(specs) {
		var v verdict
		if err = in.Decode(&v); err != nil {
			break
		}
		findings[done] = v.Findings
		done++
	}
	ended := worker.Wait()
	switch {
	case ctx.Err() != nil:
		return 0, errors.New("interrupted")
	case done == len(specs), errors.Is(err, io.EOF) && ended == nil && done > 0:
		return done, nil
	}
	how := fmt.Sprint(ended)
	if words := said.String(); words != "" {
		how += ": " + words
	}
	findings[done] = diag.List{watchdog.Ended(specs[done], how)}
	return done + 1, nil
}
