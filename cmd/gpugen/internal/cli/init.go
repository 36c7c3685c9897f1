package cli

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/schema"
)

// defaultExample is what a newcomer starts from.
const defaultExample = "onprem-h100"

type initFlags struct {
	example, format string
	schema          bool
}

func newInit(s streams) *cobra.Command {
	var flags initFlags
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Start a spec from an example",
		Long: `init copies an example's cluster.cue into a directory, names the cluster after the
directory, and says which lines to change. Where no CUE module holds the directory it
also writes cue.mod/module.cue, at the root of the git repository, so that cue and
editors work there, and clusters can share what lies above them. With --format yaml it
writes cluster.yaml, which needs no module. It overwrites nothing.

With --schema it writes gpugen's own CUE packages into cue.mod/pkg of the module that
holds the directory, or renews them, so that editors know the fields of a spec.
gpugen itself needs no such copy.

There are these examples:
` + exampleList(),
		Example: `  gpugen init clusters/mine
  gpugen init clusters/desk --example k3s-workstation
  gpugen init clusters/mine --format yaml
  gpugen init --schema`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			if !flags.schema {
				return initSpec(s, dir, flags)
			}
			if cmd.Flags().Changed("example") || cmd.Flags().Changed("format") {
				return &usageError{"--schema writes no example; leave out --example and --format"}
			}
			return initSchema(s, dir)
		},
	}
	calls(cmd, "gpugen init DIR --example NAME", "new", "create", "scaffold", "start")
	calls(cmd, "gpugen init DIR --schema", "schema")
	cmd.Flags().StringVar(&flags.example, "example", defaultExample, "the example to start from")
	cmd.Flags().StringVar(&flags.format, "format", "cue", "the format of the spec: cue or yaml")
	cmd.Flags().BoolVar(&flags.schema, "schema", false, "write or renew gpugen's CUE packages in cue.mod/pkg")
	return cmd
}

// initSpec writes a spec, and a module around it where there is none.
func initSpec(s streams, dir string, flags initFlags) error {
	if flags.format != "cue" && flags.format != "yaml" {
		return &usageError{"--format is " + flags.format + ", want cue or yaml"}
	}
	spec, err := fs.ReadFile(examples.Files, flags.example+"/"+specFile)
	if err != nil {
		return unknownExample(flags.example)
	}
	place, err := newSite(dir)
	if err != nil {
		return err
	}
	inYAML := flags.format == "yaml"
	scaffold, err := newScaffold(spec, place.cluster(), place.treePath(), inYAML)
	if err != nil {
		return err
	}
	file := "cluster." + flags.format
	files := []newFile{{place.join(file), scaffold.data}}
	if place.module == "" && !inYAML {
		files = append(files, place.newModule())
	}
	if err := place.create(files); err != nil {
		return err
	}
	add := []string{place.name}
	for _, f := range files {
		if module := path.Dir(f.name); path.Base(module) == "cue.mod" && !strings.HasPrefix(module, place.name+"/") && place.name != "." {
			add = append(add, module)
		}
		fmt.Fprintf(s.err, "wrote %s\n", f.name)
	}
	fmt.Fprint(s.err, "\nThese lines are placeholders. Write what is true of your cluster, and take \"change me\" away; then make the pools yours:\n\n")
	for _, line := range scaffold.change {
		fmt.Fprintf(s.err, "  %s:%d: %s\n", place.join(file), line.number, line.text)
	}
	if place.git == "" {
		fmt.Fprintf(s.err, "\n%s is in no git work tree yet, so gitops.path is still the example's: write where %s will lie in the repository.\n", place.name, place.join("tree"))
	}
	apply := "kubectl apply -f"
	if scaffold.argocd != "" {
		apply = "kubectl apply -n " + scaffold.argocd + " -f"
	}
	fmt.Fprintf(s.err, `
Then:

  gpugen vet %[1]s
  gpugen render %[1]s -o %[2]s
  git add %[5]s && git commit
  %[3]s %[4]s
`, place.name, place.join("tree"), apply, place.join("tree/root.yaml"), strings.Join(add, " "))
	return nil
}

// initSchema writes gpugen's CUE packages to where cue looks for them.
func initSchema(s streams, dir string) error {
	place, err := newSite(dir)
	if err != nil {
		return err
	}
	changed, err := writeSchema(place)
	if err != nil {
		return err
	}
	for _, name := range changed {
		fmt.Fprintf(s.err, "wrote %s\n", name)
	}
	fmt.Fprintf(s.err, "%s holds the CUE packages of gpugen's schema; renew them after each update of gpugen\n", place.schemaName())
	return nil
}

// exampleList names each example, and who has such a cluster.
func exampleList() string {
	var out strings.Builder
	for _, name := range exampleNames() {
		readme, err := fs.ReadFile(examples.Files, name+"/README.md")
		if err != nil {
			continue
		}
		who, _, _ := strings.Cut(string(readme), "\n")
		fmt.Fprintf(&out, "  %s\n      %s\n", name, who)
	}
	return strings.TrimRight(out.String(), "\n")
}

func exampleNames() []string {
	var names []string
	specs, _ := fs.Glob(examples.Files, "*/"+specFile)
	for _, spec := range specs {
		names = append(names, strings.TrimSuffix(spec, "/"+specFile))
	}
	slices.Sort(names)
	return names
}

func unknownExample(name string) error {
	names := exampleNames()
	hint := ""
	if near := schema.Nearest(name, names); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? "
	}
	return &usageError{fmt.Sprintf("no example %q; %sthere are %s", name, hint, strings.Join(names, ", "))}
}
