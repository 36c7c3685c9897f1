package cli

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/cmd/gpugen/internal/report"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/rendered"
	"github.com/gpugen/gpugen/generators/worktree"
	"github.com/gpugen/gpugen/schema/diag"
)

func newVerify(s streams) *cobra.Command {
	var options rendered.Options
	var flags findingFlags
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Judge a rendered tree by what Argo CD or Flux does with it",
		Long: `verify reads the manifests below a directory, rendered by gpugen or by anything else,
finds the Applications in them, or Flux's Kustomizations and HelmReleases, and what each
would apply, and prints what Argo CD or Flux would refuse, ignore or fight over, and
where. It writes nothing but findings, to standard output, and fetches nothing: of a
chart it knows what gpugen's own facts say.

Applications and Kustomizations name directories by their path in the repository. That of DIR is what
--path says; without it, what makes most of them find theirs, or what git says.`,
		Example: `  gpugen verify clusters/mine/tree
  gpugen verify --project platform --namespace monitoring argocd/
  gpugen verify --strict --format github .`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := report.Known(flags.format); err != nil {
				return err
			}
			dir := args[0]
			// Links inside are findings; the one that was named may be one.
			info, err := os.Stat(dir)
			switch {
			case err != nil:
				return err
			case !info.IsDir():
				return &usageError{dir + " is no directory"}
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				return err
			}
			defer root.Close()
			options.Guess = worktree.Path(dir)
			findings, err := untilInterrupted(cmd.Context(), func() (diag.List, error) { return generators.JudgeDir(root.FS(), options) })
			if errors.Is(err, errInterrupted) {
				return err
			}
			if err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
			return flags.write(s.out, below(findings, dir))
		},
	}
	cmd.Flags().StringVar(&flags.format, "format", "text", "how findings are written: "+report.Formats())
	cmd.Flags().BoolVar(&flags.strict, "strict", false, "count warnings as errors")
	cmd.Flags().StringVar(&options.Path, "path", "", "path of DIR in its repository (default: as most Applications, or git, say)")
	cmd.Flags().StringVar(&options.RepoURL, "repo-url", "", "repository that DIR belongs to (default: the one that most Applications name)")
	cmd.Flags().StringSliceVar(&options.Projects, "project", nil, "AppProject that exists besides those in DIR")
	cmd.Flags().StringSliceVar(&options.Namespaces, "namespace", nil, "namespace that exists besides those in DIR")
	return cmd
}

// below are findings whose files are seen from where the command runs.
func below(findings diag.List, dir string) diag.List {
	in := func(p *diag.Position) {
		if p.File != "" {
			p.File = path.Join(filepath.ToSlash(dir), p.File)
		}
	}
	for i := range findings {
		in(&findings[i].Position)
		for k := range findings[i].Also {
			in(&findings[i].Also[k].Position)
		}
	}
	return findings
}
