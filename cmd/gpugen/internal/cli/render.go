package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/remembered"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/generators/worktree"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

type renderFlags struct {
	findingFlags
	// evaluate makes a tree of a spec, and store says what was made of specs before;
	// tests count and replace them.
	evaluate   func(schema.Input) (*generators.Result, diag.List)
	store      func() (remembered.Store, bool)
	out        string
	check      bool
	component  string
	force      bool
	allowPrune []string
}

func newRender(s streams) *cobra.Command {
	return renderCommand(s, &renderFlags{evaluate: evaluate, store: theStore})
}

// evaluate makes a tree of a spec.
func evaluate(in schema.Input) (*generators.Result, diag.List) {
	inHugePages()
	return generators.Render(in)
}

func renderCommand(s streams, flags *renderFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "render [SPEC]",
		Short: "Render a spec into a kustomize and Argo CD tree",
		Long: `render checks a spec and writes the tree of its cluster into a directory, or one YAML
stream to standard output. Nothing is written if anything is wrong. Findings go to
standard error.

In the directory it writes its own files only: it refuses to overwrite or delete what
it did not write, or what a person changed since, and leaves all else alone.

DIR/... is every cluster below a directory. Each is rendered to its gitops.path below
the directory that -o names, the root of the repository; if anything is wrong with one
of them, none is written.`,
		Example: `  gpugen render clusters/mine -o clusters/mine/tree
  gpugen render clusters/mine -o clusters/mine/tree --check    # in CI: exit 1 if the tree is stale
  gpugen render clusters/mine --component gpu-operator         # that component's objects
  gpugen render ./clusters/... -o .                            # each cluster, at its gitops.path
  gpugen render - < cluster.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.findingFlags.check(); err != nil {
				return err
			}
			return flags.run(cmd, s, args)
		},
	}
	calls(cmd, "gpugen render SPEC -o DIR", "build", "template", "generate", "export", "update")
	calls(cmd, "gpugen render SPEC -o DIR --check", "diff", "plan", "status", "drift")
	calls(cmd, "gpugen render SPEC -o DIR, then git commit and push; Argo CD applies it", "apply", "install", "upgrade", "deploy", "sync")
	flags.bind(cmd)
	cmd.Flags().StringVarP(&flags.out, "output", "o", "", "directory of the tree; without it, or as -, one stream goes to standard output")
	cmd.Flags().BoolVar(&flags.check, "check", false, "write nothing; exit 1 if the directory differs from what would be rendered")
	cmd.Flags().StringVar(&flags.component, "component", "", "print one component's objects, or \"argocd\" for the Argo CD ones")
	cmd.Flags().BoolVar(&flags.force, "force", false, "overwrite files that gpugen did not write or that were changed by hand")
	cmd.Flags().StringArrayVar(&flags.allowPrune, "allow-prune", nil, "let this Namespace, component or cluster name vanish from the tree, or this AppProject allow less; may be repeated")
	return cmd
}

func (f *renderFlags) run(cmd *cobra.Command, s streams, args []string) error {
	f.out = fileOrStdout(f.out)
	switch {
	case f.check && f.out == "":
		return &usageError{"--check needs -o DIR"}
	case f.component != "" && f.out != "":
		return &usageError{"--component prints to standard output; leave out -o"}
	case f.out == "" && (f.force || len(f.allowPrune) > 0):
		return &usageError{"--force and --allow-prune need -o DIR"}
	}
	if len(args) == 1 && schema.IsFleet(args[0]) {
		return f.runFleet(cmd, s, args)
	}
	in := f.spec(cmd.Context(), s, args)
	known := f.remember(in)
	if changes, findings, ok := known.unchanged(); ok {
		return f.nothingToDo(s, changes, findings)
	}
	result, findings, err := evaluateUntilInterrupted(cmd.Context(), func() (*generators.Result, diag.List) { return f.evaluate(in) })
	if err != nil {
		return err
	}
	if result != nil && f.out != "" {
		known.keep(result, findings)
		findings = append(findings, result.Waive(worktree.Check(result.Plan.GitOps, f.out, result.At("gitops", "path")))...)
	}
	if result == nil || f.strict && len(findings) > 0 {
		return f.write(s.err, findings)
	}
	switch {
	case f.out == "":
		out, err := f.stream(result)
		if err != nil {
			return err
		}
		if err := f.write(s.err, findings); err != nil {
			return err
		}
		_, err = s.out.Write(out)
		return err
	case f.check:
		_, drift := tree.Compare(f.out, result.Tree, result.Meta)
		return f.write(s.err, append(findings, drift...))
	default:
		changes, refused := tree.Write(cmd.Context(), f.out, result.Tree, result.Meta, tree.Options{Force: f.force, AllowPrune: f.allowPrune})
		findings = append(findings, refused...)
		if err := f.write(s.err, findings); err != nil {
			return err
		}
		f.summary(s, f.out, changes)
		return nil
	}
}

// fileOrStdout is what -o names; "" is standard output, which - is for other programs.
func fileOrStdout(output string) string {
	if output == "-" {
		return ""
	}
	return output
}

// stream is what kustomize builds from the tree's directories, root first.
func (f *renderFlags) stream(result *generators.Result) ([]byte, error) {
	parts, err := generators.Stream(result)
	if err != nil {
		return nil, err
	}
	if f.component == "" {
		var all [][]byte
		for _, part := range parts {
			all = append(all, part.Data)
		}
		return bytes.Join(all, []byte("---\n")), nil
	}
	for _, part := range parts {
		if part.Component == f.component {
			return part.Data, nil
		}
	}
	names := make([]string, 0, len(parts))
	for _, part := range parts {
		names = append(names, part.Component)
	}
	slices.Sort(names)
	hint := ""
	if near := schema.Nearest(f.component, names); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? "
	}
	return nil, &usageError{fmt.Sprintf("no objects of component %q; %sthere are those of %s", f.component, hint, strings.Join(names, ", "))}
}

func (f *renderFlags) summary(s streams, out string, c tree.Changes) {
	if f.format != "text" {
		return
	}
	fmt.Fprintf(s.err, "%s: %d created, %d updated, %d deleted, %d unchanged\n",
		filepath.ToSlash(out), len(c.Created), len(c.Updated), len(c.Deleted), len(c.Unchanged))
}
