package cli

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/generators"
)

// commit that a release was built of; the linker sets it (tools/release).
var commit string

// builtOf is what a build says of itself: the release's commit, or the module's version
// that `go install` took. It goes into no tree.
func builtOf() string {
	if commit != "" {
		return "commit " + commit
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return "module " + info.Main.Version
	}
	return ""
}

func newVersion(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print gpugen's release version",
		Example: "  gpugen version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			said := "gpugen " + generators.Version
			if of := builtOf(); of != "" {
				said += " (" + of + ")"
			}
			_, err := fmt.Fprintln(s.out, said)
			return err
		},
	}
}
