// The judge applies a rendered tree to a real kube-apiserver, which it runs
// itself, and prints what the server has against it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/gpugen/gpugen/e2e/apiserver/controlplane"
	"github.com/gpugen/gpugen/e2e/apiserver/judge"
	"github.com/gpugen/gpugen/e2e/apiserver/server"
)

// Exit codes.
const (
	accepted = iota
	refused
	notJudged
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == server.ServeCommand {
		fmt.Fprintln(os.Stderr, serve(os.Args[2:]))
		os.Exit(notJudged)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "judge:", err)
	}
	os.Exit(code)
}

// serve is the control plane in a child process. It ends with its standard input
// and returns only if it cannot go on.
func serve(arguments []string) error {
	if len(arguments) != 2 {
		return errors.New("serve needs a Kubernetes version and a folder")
	}
	access, ended, err := controlplane.Start(arguments[0], arguments[1])
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(server.Access(access)); err != nil {
		return err
	}
	go func() {
		// At the end of the input there is nobody left to report to, nor to clean up.
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = os.RemoveAll(arguments[1])
		os.Exit(accepted)
	}()
	return <-ended
}

func run(ctx context.Context, arguments []string, out io.Writer) (int, error) {
	flags := flag.NewFlagSet("judge", flag.ContinueOnError)
	versions := flags.String("kubernetes", "", "minor releases to ask, such as 1.34,1.36 (default the one that the tree was rendered for)")
	upstream := flags.String("upstream", "", "folder with the CRDs of charts as <chart>/<version>/crds/*.yaml")
	defaults := flags.Bool("defaults", false, "list the fields that the tree leaves to the server")
	var sources judge.Sources
	flags.Func("crds", "folder of YAML files that CRDs are taken from; may be repeated", func(folder string) error {
		sources.Folders = append(sources.Folders, folder)
		return nil
	})
	if err := flags.Parse(arguments); err != nil {
		return notJudged, err
	}
	if flags.NArg() != 1 {
		return notJudged, errors.New("say which tree: judge [flags] DIR")
	}
	sources.Upstream = *upstream
	tree, err := judge.Load(os.DirFS(flags.Arg(0)))
	if err != nil {
		return notJudged, err
	}
	if *versions == "" {
		*versions = tree.KubernetesMinor()
	}
	if *versions == "" {
		return notJudged, errors.New("the tree does not tell its Kubernetes version: say -kubernetes")
	}
	code := accepted
	for minor := range strings.SplitSeq(*versions, ",") {
		report, peak, err := judgeOn(ctx, minor, tree, sources)
		if err != nil {
			return notJudged, err
		}
		if len(report.Problems) > 0 {
			code = refused
		}
		print(out, minor, report, peak, *defaults)
	}
	return code, nil
}

func judgeOn(ctx context.Context, minor string, tree *judge.Tree, sources judge.Sources) (report *judge.Report, peak int64, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	s, err := server.Start(ctx, program, minor)
	if err != nil {
		return nil, 0, err
	}
	defer func() { peak = s.Stop() }()
	report, err = judge.NewSession(s.Client, sources).Judge(ctx, tree, judge.Reverse(), judge.Shuffled(1))
	return report, 0, err
}

// print writes a line for each problem and one that sums up.
func print(out io.Writer, minor string, r *judge.Report, peak int64, defaults bool) {
	for _, problem := range r.Problems {
		fmt.Fprintln(out, problem)
	}
	if defaults {
		for _, one := range r.Defaulted {
			fmt.Fprintf(out, "defaulted: %s: %s = %s (%d objects)\n", one.Kind, one.Path, one.Value, one.Objects)
		}
	}
	if len(r.StandIns) > 0 {
		fmt.Fprintf(out, "taken to be in the cluster: %s\n", strings.Join(r.StandIns, ", "))
	}
	fmt.Fprintf(out, "Kubernetes %s: %d objects, %d admitted from templates, %d CRDs: %s, %s; %.1f s, server %d MiB\n",
		minor, r.Objects, r.Admitted, r.Definitions, counted(len(r.Problems), "problem"), counted(r.Warnings, "warning"), r.Duration.Seconds(), peak>>20)
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
