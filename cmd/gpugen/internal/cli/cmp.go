package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/cmd/gpugen/internal/report"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/argocd"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema/diag"
)

// parametersVariable holds the parameters of the Application's source, as JSON. Argo CD
// sets it for each plugin.
const parametersVariable = "ARGOCD_APP_PARAMETERS"

// pathVariable holds the directory of the repository that Argo CD runs the plugin in.
const pathVariable = "ARGOCD_APP_SOURCE_PATH"

// shownInArgoCD is how many findings go into the one line of error that Argo CD shows.
const shownInArgoCD = 5

func newCMP(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cmp",
		Short: "Be a config management plugin of Argo CD",
		Long: `cmp holds what Argo CD's plugin server runs in a sidecar of the repo server.
deploy/argocd has the sidecar, and docs/argocd-plugin.md says how to set it up.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCMPGenerate(s), newCMPParameters(s))
	return cmd
}

func newCMPGenerate(s streams) *cobra.Command {
	var limits limitFlags
	cmd := &cobra.Command{
		Use:   "generate [SPEC]",
		Short: "Print the objects of one component of a spec",
		Long: `generate prints the objects of the component that the Application's parameter
"component" names, in the variable ARGOCD_APP_PARAMETERS; without one, or for "argocd",
the AppProject and the Applications of all components. The bytes are those that render
writes. It prints objects or fails, and what it says on failure is short: Argo CD shows
it as it is.`,
		Example: `  gpugen cmp generate clusters/mine
  ARGOCD_APP_PARAMETERS='[{"name": "component", "string": "gpu-operator"}]' gpugen cmp generate`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			component, err := componentParameter(os.Getenv(parametersVariable))
			if err != nil {
				return err
			}
			result, err := renderBriefly(cmd.Context(), s, limits, args)
			if err != nil {
				return err
			}
			if err := wrongPath(os.Getenv(pathVariable), result.Plan.GitOps.Plugin); err != nil {
				return err
			}
			warnOfVersion(s.err, os.Getenv("KUBE_VERSION"), result.Plan.Kubernetes.Version)
			data, known, err := generators.Objects(result, component)
			switch {
			case err != nil:
				return err
			case len(data) == 0:
				return &usageError{fmt.Sprintf("no objects of component %q; there are those of %s", component, strings.Join(known, ", "))}
			}
			_, err = s.out.Write(data)
			return err
		},
	}
	limits.bind(cmd.Flags())
	return cmd
}

func newCMPParameters(s streams) *cobra.Command {
	var limits limitFlags
	cmd := &cobra.Command{
		Use:     "parameters [SPEC]",
		Short:   "Say which parameters generate reads, as Argo CD's user interface shows them",
		Example: `  gpugen cmp parameters clusters/mine`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := renderBriefly(cmd.Context(), s, limits, args)
			if err != nil {
				return err
			}
			_, known, err := generators.Objects(result, "")
			if err != nil {
				return err
			}
			return report.JSON(s.out, []map[string]any{{
				"name":           argocd.ComponentParameter,
				"title":          "Component whose objects are rendered",
				"tooltip":        strings.Join(known, ", "),
				"collectionType": "string",
				"string":         argocd.Dir,
			}})
		},
	}
	limits.bind(cmd.Flags())
	return cmd
}

// renderBriefly renders a spec; what is wrong with it goes to standard error, a line each.
func renderBriefly(ctx context.Context, s streams, limits limitFlags, args []string) (*generators.Result, error) {
	if err := limits.check(); err != nil {
		return nil, err
	}
	flags := findingFlags{input: "yaml", limits: limits}
	result, findings, err := evaluateUntilInterrupted(ctx, func() (*generators.Result, diag.List) {
		return generators.Render(flags.spec(ctx, s, args))
	})
	if err != nil {
		return nil, err
	}
	if result != nil {
		return result, nil
	}
	errors, _ := findings.Count()
	shown := 0
	for _, f := range findings.Masked().Sorted() {
		if f.Severity != diag.Error {
			continue
		}
		if shown == shownInArgoCD {
			fmt.Fprintf(s.err, "and %d more; gpugen vet shows all\n", errors-shown)
			break
		}
		shown++
		line := fmt.Sprintf("%s:%d:%d: %s %s", f.Position.File, f.Position.Line, f.Position.Column, f.ID, f.Message)
		if f.Fix != "" {
			line += " (" + f.Fix + ")"
		}
		fmt.Fprintln(s.err, diag.VisibleLines(strings.Join(strings.Fields(line), " ")))
	}
	if findings.Fatal() {
		return nil, exit(exitCannot)
	}
	return nil, exit(exitFindings)
}

// componentParameter reads which component is asked for.
func componentParameter(text string) (string, error) {
	var parameters []struct {
		Name   string            `json:"name"`
		String *string           `json:"string"`
		Array  []string          `json:"array"`
		Map    map[string]string `json:"map"`
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &parameters); err != nil {
			return "", &usageError{fmt.Sprintf("%s is no JSON list of parameters: %v", parametersVariable, err)}
		}
	}
	component := argocd.Dir
	for _, p := range parameters {
		switch {
		case p.Name != argocd.ComponentParameter:
			return "", &usageError{fmt.Sprintf("there is no parameter %q; the one that there is is %s", p.Name, argocd.ComponentParameter)}
		case p.String == nil || *p.String == "" || p.Array != nil || p.Map != nil:
			return "", &usageError{"parameter " + argocd.ComponentParameter + " wants string: the name of a component"}
		}
		component = *p.String
	}
	return component, nil
}

// wrongPath is an error if the Applications of a spec would have the plugin render
// another directory than the one that it is rendered from.
func wrongPath(from string, plugin *plan.Plugin) error {
	if from == "" || plugin == nil || path.Clean(from) == path.Clean(plugin.Path) {
		return nil
	}
	return &usageError{fmt.Sprintf("the Application renders %s, and gitops.plugin.path of the spec there says %s, which is what all other Applications would render; make them the same",
		diag.VisibleLines(from), plugin.Path)}
}

// warnOfVersion tells where the cluster is not the Kubernetes that the spec says. What
// is rendered follows from the spec alone.
func warnOfVersion(w io.Writer, cluster, spec string) {
	minor := func(version string) string {
		parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
		if len(parts) < 2 {
			return ""
		}
		return parts[0] + "." + parts[1]
	}
	if live := minor(cluster); live != "" && live != minor(spec) {
		fmt.Fprintf(w, "the cluster runs Kubernetes %s, and the spec says %s\n", diag.VisibleLines(cluster), spec)
	}
}
