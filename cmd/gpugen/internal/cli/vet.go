package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/fleet"
	"github.com/gpugen/gpugen/schema/diag"
)

func newVet(s streams) *cobra.Command {
	var flags findingFlags
	cmd := &cobra.Command{
		Use:   "vet [SPEC...]",
		Short: "Check specs and print what is wrong, and where",
		Long: `vet checks each spec: its shape, the Helm values in it, the rules, and the tree that
it would render. It writes nothing but findings, to standard output, and to standard
error a note of lines that init or import marked "change me" and nobody changed.

SPEC is a file (.cue, .yaml, .json), a directory (its CUE package "cluster", or
cluster.yaml), or - for standard input. Default: the current directory. DIR/... is
every cluster below a directory; of several specs, vet says as well where they get in
each other's way.`,
		Example: `  gpugen vet clusters/mine
  gpugen vet ./clusters/...
  gpugen vet --strict --format json clusters/*/cluster.yaml
  cat cluster.yaml | gpugen vet -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			if os.Getenv(workerVariable) != "" {
				return flags.vetEach(s, args)
			}
			specs, findings := expand(args)
			notePlaceholders(s.err, specs)
			if len(args) == 1 && len(specs) == 1 && len(findings) == 0 {
				_, findings, err := evaluateUntilInterrupted(cmd.Context(), func() (*generators.Result, diag.List) {
					return evaluate(flags.spec(cmd.Context(), s, specs))
				})
				if err != nil {
					return err
				}
				return flags.write(s.out, findings)
			}
			// What render remembers of a spec, vet would find.
			memory := flags.fleetMemory(cmd.Context(), s, theStore, specs)
			verdicts, err := judgeFleet(cmd.Context(), s, flags.written(cmd), justVet, memory, func(*outcome) bool { return true })
			if err != nil {
				return err
			}
			for _, v := range verdicts {
				findings = append(findings, v.Findings...)
			}
			return flags.write(s.out, append(findings, fleet.Check(members(verdicts))...))
		},
	}
	calls(cmd, "gpugen vet SPEC", "validate", "lint", "check", "test")
	flags.bind(cmd)
	return cmd
}
