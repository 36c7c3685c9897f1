package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/generators"
)

func newVersion(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print gpugen's release version",
		Example: "  gpugen version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.out, "gpugen", generators.Version)
			return err
		},
	}
}
