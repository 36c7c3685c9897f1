package cli

import (
	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/generators/helm"
)

func newChart(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "chart",
		Short:   "Work with Helm charts on disk",
		Example: "  gpugen chart index ./gpu-operator",
		// Without it, cobra answers an unknown subcommand by help and exit code 0.
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "index CHART",
		Short: "Make the index of a chart version",
		Long: `index reads a chart, a directory or an archive on disk, and prints its index: the paths
of its values and those that its templates read, with types; the kinds of its objects;
its hooks and CRDs. The output is a file of schema/facts/charts.`,
		Example: `  gpugen chart index ./gpu-operator > schema/facts/charts/gpu-operator-v26.3.3.json
  gpugen chart index gpu-operator-v26.3.3.tgz`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			index, err := helm.Index(args[0])
			if err != nil {
				return err
			}
			_, err = s.out.Write(index.JSON())
			return err
		},
	})
	return cmd
}
