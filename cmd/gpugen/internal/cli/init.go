package cli

import (
	"github.com/spf13/cobra"
)

func newInit(s streams) *cobra.Command {
	return &cobra.Command{Use: "init"}
}
