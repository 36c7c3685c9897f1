package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/cmd/gpugen/internal/report"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

func newComponents(s streams) *cobra.Command {
	var flags findingFlags
	cmd := &cobra.Command{
		Use:   "components [SPEC]",
		Short: "List what can be rendered, or each component's state for a spec",
		Long: `components lists the components with the chart versions that gpugen carries, and the
GPU models that it knows, and what of that is the word of the site: of the folder gpugen
in this CUE module. With a spec it lists the state of each component, and why.`,
		Example: `  gpugen components
  gpugen components clusters/mine
  gpugen components --format json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			if len(args) == 0 {
				known, findings, err := findUntilInterrupted(cmd.Context(), func() (*schema.Inventory, diag.List, error) {
					return schema.KnownAt(flags.site(cmd.Context(), s, ".", justSite))
				})
				if err != nil {
					return err
				}
				if known == nil {
					return flags.write(s.err, findings)
				}
				return listInventory(s, flags.format, known)
			}
			cluster, findings, err := evaluateUntilInterrupted(cmd.Context(), func() (*schema.Cluster, diag.List) {
				return schema.Evaluate(flags.spec(cmd.Context(), s, args))
			})
			if err != nil {
				return err
			}
			if cluster == nil {
				return flags.write(s.err, findings)
			}
			states, err := plan.States(cluster)
			if err != nil {
				return err
			}
			if err := listStates(s, flags.format, states); err != nil {
				return err
			}
			return flags.write(s.err, findings)
		},
	}
	calls(cmd, "gpugen components", "list", "ls", "get", "show", "models", "gpus", "charts", "versions")
	flags.bind(cmd)
	return cmd
}

func listStates(s streams, format string, states []plan.State) error {
	if format == "json" {
		return report.JSON(s.out, states)
	}
	w := tabwriter.NewWriter(diag.Writer{To: s.out}, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "COMPONENT\tSTATE\tVERSION\tREASON")
	for _, state := range states {
		version := state.Version
		if state.State == "off" || version == "" {
			version = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", state.Component, state.State, version, state.Reason)
	}
	return w.Flush()
}

func listInventory(s streams, format string, known *schema.Inventory) error {
	if format == "json" {
		return report.JSON(s.out, known)
	}
	w := tabwriter.NewWriter(diag.Writer{To: s.out}, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "COMPONENT\tVERSIONS")
	for _, c := range known.Components {
		versions := strings.Join(c.Versions, ", ")
		if versions == "" {
			versions = "not supported yet; may be declared external"
		}
		fmt.Fprintf(w, "%s\t%s\n", c.Name, versions)
	}
	fmt.Fprintln(w, "\nGPU MODEL\tPRODUCT LABEL\tMEMORY\tMIG PROFILES")
	for _, m := range known.Models {
		profiles := strings.Join(m.MIGProfiles, " ")
		if profiles == "" {
			profiles = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%d GB\t%s\n", m.Name, m.Product, m.MemoryGiB, profiles)
	}
	if len(known.Site) > 0 {
		fmt.Fprintln(w, "\nBY THE SITE\tNAME\tFILE")
	}
	for _, e := range known.Site {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Of, e.Name, e.File)
	}
	return w.Flush()
}
