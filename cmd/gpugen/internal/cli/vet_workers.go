package cli

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/fleet"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/generators/worktree"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// workerVariable, when set, makes vet a worker: it writes a verdict for each spec
// to standard output, in the encoding of Go's gob, and ends where the evaluation
// of one cannot be stopped. Its value says what is wanted of a worker.
const (
	workerVariable = "GPUGEN_VET_WORKER"
	justVet        = "vet"
	withTrees      = "render"
	// What a site knows has no spec: the worker judges it, and for siteExamples tries its
	// rules on their own examples.
	justSite     = "site"
	siteExamples = "site examples"
)

// workerStack is more than any evaluation needs that ends in time: Helm values of 3000 levels
// take less, and half a minute. Until it is full, it costs time and memory.
const workerStack = 64 << 20

// verdict is what a worker has found in one of its specs.
type verdict struct {
	Findings diag.List
	// Rendered is what follows from the spec; nil if anything is wrong with it.
	Rendered *outcome
}

// outcome is a cluster as it goes from one process to another.
type outcome struct {
	fleet.Member
	// Tree and Meta are set if trees are wanted.
	Tree []tree.File
	Meta tree.Meta
	// Inventory is the tree.InventoryHash of a tree that is remembered, and Held what the
	// directory has of it.
	Inventory string
	Held      tree.Changes
	// ElsewhereWaived says that the spec accepts that the tree lies where Argo CD does not look.
	ElsewhereWaived bool
}

func newOutcome(spec string, r *generators.Result) *outcome {
	at := r.At("gitops", "path")
	out := &outcome{Member: fleet.Member{Spec: filepath.ToSlash(spec), Name: r.Plan.Name, GitOps: r.Plan.GitOps, NameAt: r.At("name"), PathAt: at}}
	if os.Getenv(workerVariable) == withTrees {
		out.Tree, out.Meta = r.Tree.Files(), r.Meta
		out.ElsewhereWaived = len(r.Waive(diag.List{worktree.Elsewhere(at)})) == 0
	}
	return out
}

// members are the clusters that verdicts know of.
func members(verdicts []verdict) []fleet.Member {
	var out []fleet.Member
	for _, v := range verdicts {
		if v.Rendered != nil {
			out = append(out, v.Rendered.Member)
		}
	}
	return out
}

// expand puts the specs of fleets in the place of their arguments.
func expand(args []string) (specs []string, found diag.List) {
	for _, arg := range args {
		if !schema.IsFleet(arg) {
			specs = append(specs, arg)
			continue
		}
		below, bad := schema.Fleet(arg)
		specs, found = append(specs, below...), append(found, bad...)
	}
	return specs, found
}

// written returns the flags of findings that the command line sets.
func (f *findingFlags) written(cmd *cobra.Command) []string {
	own := &cobra.Command{}
	(&findingFlags{}).bind(own)
	var out []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if own.Flags().Lookup(f.Name) != nil {
			out = append(out, "--"+f.Name+"="+f.Value.String())
		}
	})
	return out
}

// vetEach judges each spec and writes its verdict. CUE cannot be cancelled: after
// a spec that does not finish the process must end, and so the verdict on it is
// the last.
func (f *findingFlags) vetEach(s streams, args []string) error {
	out := gob.NewEncoder(s.out)
	go endWithParent(os.Getppid())
	// A stack that grows without end shall end before it has taken the machine's memory.
	debug.SetMaxStack(workerStack)
	for i, arg := range args {
		if i > 0 {
			collectBetween()
		}
		v, err := f.verdictOn(s, arg)
		if err != nil {
			return err
		}
		if err := out.Encode(v); err != nil {
			return err
		}
		if watchdog.Abandoned() {
			return nil
		}
	}
	return nil
}

// endWithParent ends a worker whose parent was killed and so could not end it: nobody
// reads its verdicts.
func endWithParent(parent int) {
	for os.Getppid() == parent {
		time.Sleep(200 * time.Millisecond)
	}
	os.Exit(exitCannot)
}

// verdictOn judges one spec, or the site's knowledge at a directory.
func (f *findingFlags) verdictOn(s streams, arg string) (verdict, error) {
	in := f.spec(context.Background(), s, []string{arg})
	var (
		v   verdict
		err error
	)
	switch os.Getenv(workerVariable) {
	case siteExamples:
		_, v.Findings, err = schema.TrySiteRules(in)
	case justSite:
		if _, v.Findings, err = schema.KnownAt(in); err == nil && !v.Findings.HasErrors() {
			_, v.Findings, err = schema.CatalogueAt(in)
		}
	default:
		result, found := evaluate(in)
		v.Findings = found
		if result != nil {
			v.Rendered = newOutcome(arg, result)
		}
		return v, nil
	}
	if !v.Findings.HasErrors() {
		v.Rendered = &outcome{} // nothing keeps the other process from judging it as well
	}
	return v, err
}

// vetApart judges specs in processes of their own, some at a time, so that one
// that never finishes, or brings its process down, takes no other with it.
//
// flags are those of the command line, without the specs; wanted is justVet or withTrees.
func vetApart(ctx context.Context, s streams, flags []string, wanted string, args []string) ([]verdict, error) {
	var (
		verdicts = make([]verdict, len(args))
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
				done, err := vetInWorker(ctx, s, flags, wanted, args[begin:end], verdicts[begin:end])
				if err != nil {
					failures[begin] = err
					return
				}
				begin += done
			}
		})
	}
	group.Wait()
	return verdicts, errors.Join(failures...)
}

// vetInWorker has one process judge specs, and returns how many of them it has
// judged: all, or those up to one that ended the process.
func vetInWorker(ctx context.Context, s streams, flags []string, wanted string, specs []string, verdicts []verdict) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	worker := exec.CommandContext(ctx, self)
	worker.Args = slices.Concat([]string{os.Args[0], "vet"}, flags, []string{"--"}, specs)
	worker.Env = append(os.Environ(), workerVariable+"="+wanted)
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
		verdicts[done] = v
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
	verdicts[done] = verdict{Findings: diag.List{watchdog.Ended(specs[done], how)}}
	return done + 1, nil
}
