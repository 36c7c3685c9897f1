package cli

import (
	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema/diag"
)

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
		RunE: func(_ *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			var findings diag.List
			for _, arg := range args {
				_, found := generators.Render(flags.spec(s, []string{arg}))
				findings = append(findings, found...)
			}
			return flags.write(s.out, findings)
		},
	}
	flags.bind(cmd)
	return cmd
}
