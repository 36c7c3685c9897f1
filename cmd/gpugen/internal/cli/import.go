package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/generators/importing"
	"github.com/gpugen/gpugen/schema/diag"
)

type importFlags struct {
	name, format, output string
}

func newImport(s streams) *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use:   "import [COMPONENT=]FILE...",
		Short: "Make a spec of what you have already",
		Long: `import reads files and writes a spec: to standard output, or to a new file. It never
touches a cluster. It reads YAML and JSON:

  Helm values of the charts that gpugen knows: helm get values RELEASE -o yaml
  Helm releases, for their names, namespaces and versions: helm list -A -o json
  nodes: kubectl get nodes -o yaml
  a ClusterPolicy, a NicClusterPolicy; Kueue's ResourceFlavors, ClusterQueues and LocalQueues

To standard error it says for each value which field took it over, or what it follows
from; what has no field and is kept as an override in components; what it could not
carry, and why; and what is left to fill in. Then it vets the spec.

Whose values a file holds it finds by the values themselves; COMPONENT=FILE says so.`,
		Example: `  kubectl get nodes -o yaml > nodes.yaml
  helm get values gpu-operator -n gpu-operator -o yaml > values.yaml
  gpugen import nodes.yaml values.yaml -o clusters/mine/cluster.cue
  gpugen import --format yaml kueue=kueue-values.yaml queues.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runImport(cmd.Context(), s, flags, args) },
	}
	cmd.Flags().StringVar(&flags.name, "name", "cluster", "the name of the cluster")
	cmd.Flags().StringVar(&flags.format, "format", "cue", "the format of the spec: cue or yaml")
	cmd.Flags().StringVarP(&flags.output, "output", "o", "", "the new file to write to; without it, or as -, standard output")
	return cmd
}

func runImport(ctx context.Context, s streams, flags importFlags, args []string) error {
	flags.output = fileOrStdout(flags.output)
	if flags.format != "cue" && flags.format != "yaml" {
		return &usageError{"--format is " + flags.format + ", want cue or yaml"}
	}
	if !clusterName.MatchString(flags.name) {
		return &usageError{fmt.Sprintf("--name is %q, want a DNS label of at most 22 characters", flags.name)}
	}
	if flags.output != "" {
		if _, err := os.Lstat(flags.output); err == nil {
			return &usageError{flags.output + " exists already; import overwrites nothing"}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err // such as a file where a directory is wanted
		}
	}
	read, err := untilInterrupted(ctx, func() (*importing.Read, error) { return importing.Files(args) })
	if err != nil {
		return err
	}
	result, err := importing.Make(ctx, read, flags.name)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	write := result.CUE
	if flags.format == "yaml" {
		write = result.YAML
	}
	text, err := write()
	if err != nil {
		return err
	}
	if flags.output == "" {
		_, err = s.out.Write(text)
	} else {
		err = createFiles(newFile{flags.output, text})
	}
	if err != nil {
		return err
	}
	tellImport(s.err, result)
	errors, warnings := result.Findings.Count()
	fmt.Fprintf(s.err, "\n`gpugen vet` finds %d errors and %d warnings in it.\n", errors, warnings)
	for _, f := range result.Findings.Sorted() {
		fmt.Fprintf(s.err, "  %s %s: %s: %s\n", f.Severity, f.ID, diag.Visible(f.Path), diag.Visible(f.Message))
	}
	if errors > 0 {
		return exit(exitFindings)
	}
	return nil
}

// tellImport says what became of what was read.
func tellImport(w io.Writer, r *importing.Result) {
	section := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s:\n", title)
		for _, line := range lines {
			fmt.Fprintf(w, "  %s\n", diag.Visible(line))
		}
	}
	var took, kept, left, todo []string
	for _, t := range r.Took {
		field := t.Field
		if field == "" {
			field = "follows from the spec"
		}
		took = append(took, t.From+" -> "+field)
	}
	for _, k := range r.Kept {
		kept = append(kept, k.Text())
	}
	for _, l := range r.Left {
		left = append(left, l.What+": "+l.Why)
	}
	for _, t := range r.Todo {
		todo = append(todo, t.Text())
	}
	section("Taken over", took)
	section("Kept as overrides, since no field says it", kept)
	section("Not carried over", left)
	section("Left to fill in or to look at", todo)
}
