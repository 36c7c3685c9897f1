package cli

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema/diag"
)

// written returns the flags that the command line sets.
func written(flags *pflag.FlagSet) []string {
	var out []string
	flags.Visit(func(f *pflag.Flag) { out = append(out, "--"+f.Name+"="+f.Value.String()) })
	return out
}

func newVet(s streams) *cobra.Command {
	var flags findingFlags
	cmd := &cobra.Command{
		Use:   "vet [SPEC...]",
		Short: "Check specs and print what is wrong, and where",
		Long: `vet checks each spec: its shape, the Helm values in it, the rules, and the tree that
it would render. It writes nothing but findings, to standard output.

SPEC is a file (.cue, .yaml, .json), a directory (its CUE package "cluster", or
cluster.yaml), or - for standard input. Default: the current directory.`,
		Example: `  gpugen vet clusters/mine
  gpugen vet --strict --format json clusters/*/cluster.yaml
  cat cluster.yaml | gpugen vet -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			switch {
			case os.Getenv(workerVariable) != "":
				return flags.vetEach(s, args)
			case len(args) == 1:
				_, findings, err := untilInterrupted(cmd.Context(), func() (*generators.Result, diag.List) {
					return evaluate(flags.spec(s, args))
				})
				if err != nil {
					return err
				}
				return flags.write(s.out, findings)
			}
			findings, err := vetApart(cmd.Context(), s, written(cmd.Flags()), args)
			if err != nil {
				return err
			}
			return flags.write(s.out, findings)
		},
	}
	calls(cmd, "gpugen vet SPEC", "validate", "lint", "check", "test")
	flags.bind(cmd)
	return cmd
}
