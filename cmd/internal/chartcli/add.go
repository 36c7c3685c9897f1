package chartcli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/generators/chartfacts"
	"github.com/gpugen/gpugen/generators/helm"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
)

// siteCharts is where a module keeps chart versions that gpugen does not carry.
const siteCharts = source.SiteDir + "/schema/facts/charts"

type addFlags struct {
	like, compare, dir, format string
	force                      bool
}

func newAdd(out io.Writer) *cobra.Command {
	var flags addFlags
	cmd := &cobra.Command{
		Use:   "add CHART",
		Short: "Add a chart version that gpugen does not carry",
		Long: `add reads a chart, a directory or an archive on disk, of a component that gpugen knows. It
writes the version's index (.json) and facts (.cue), and says what is different from the
version that it is like: values that gpugen's templates set and that are gone or of
another type, values that must be set now, hooks, CRDs, kinds and images; with --compare
and the chart of another version on disk, fields of CRDs as well.

Facts that no chart holds are those of the other version. The new file names them under
unread. A patch release works with them, and vet warns; of another minor version, vet
refuses until somebody has read what is different and said so in the file.

Files go into ` + siteCharts + ` of the CUE module around the working directory, or where
--dir says. A file that is there and differs stays as it is, unless --force.`,
		Example: `  gpugen chart add gpu-operator-v26.3.4.tgz
  gpugen chart add ./kueue --like 0.19.2 --format json
  gpugen chart add kueue-0.20.0.tgz --compare kueue-0.18.6.tgz
  gpugen-chart add ./kueue --dir schema/facts/charts`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.format != "text" && flags.format != "json" {
				return fmt.Errorf("no format %q; there are text and json", flags.format)
			}
			chart, err := untilInterrupted(cmd.Context(), func() (*helm.Chart, error) { return helm.Read(args[0]) })
			if err != nil {
				return err
			}
			var other *helm.Chart
			if flags.compare != "" {
				if other, err = untilInterrupted(cmd.Context(), func() (*helm.Chart, error) { return helm.Read(flags.compare) }); err != nil {
					return err
				}
			}
			dir, err := flags.directory()
			if err != nil {
				return err
			}
			site, unread := siteHere()
			facts, err := chartfacts.Make(cmd.Context(), chart, flags.like, other, site)
			if err != nil {
				if cmd.Context().Err() != nil {
					return errInterrupted
				}
				return errors.Join(err, unread)
			}
			files, err := flags.write(dir, facts)
			if err != nil {
				return err
			}
			if flags.format == "json" {
				var text bytes.Buffer
				encoder := json.NewEncoder(&text)
				encoder.SetEscapeHTML(false)
				encoder.SetIndent("", "  ")
				if err := encoder.Encode(struct {
					*chartfacts.Facts
					Files []string `json:"files"`
				}{facts, files}); err != nil {
					return err
				}
				_, err := out.Write(diag.VisibleJSON(text.Bytes()))
				return err
			}
			return printFacts(out, facts, files)
		},
	}
	cmd.Flags().StringVar(&flags.like, "like", "", "the version that it is like, of gpugen's or of the site's; default: the nearest")
	cmd.Flags().StringVar(&flags.compare, "compare", "", "a chart on disk to compare with, instead of the version that it is like")
	cmd.Flags().StringVar(&flags.dir, "dir", "", "the directory to write to; default: "+siteCharts+" of the CUE module")
	cmd.Flags().StringVar(&flags.format, "format", "text", "how to say what is different: text or json")
	cmd.Flags().BoolVar(&flags.force, "force", false, "overwrite files that differ")
	return cmd
}

// siteHere is what the site of the working directory knows besides gpugen. The error says
// which of it cannot be read: it may be what is to be overwritten.
func siteHere() (chartfacts.Site, error) {
	out := chartfacts.Site{Files: map[string][]byte{}}
	site, found := source.ReadSite(source.Input{})
	if site != nil {
		for _, f := range site.Files {
			out.Files[f.Place] = f.Data
		}
	}
	if found.HasErrors() {
		f := found.Sorted()[0]
		return out, fmt.Errorf("site knowledge: %s:%d:%d: %s; gpugen vet says more", f.Position.File, f.Position.Line, f.Position.Column, f.Message)
	}
	return out, nil
}

// directory is the one to write to.
func (f addFlags) directory() (string, error) {
	if f.dir != "" {
		return f.dir, nil
	}
	dir, err := moduleDir()
	return filepath.Join(dir, filepath.FromSlash(siteCharts)), err
}

// write writes both files or none, and returns their names.
func (f addFlags) write(dir string, facts *chartfacts.Facts) ([]string, error) {
	// Names of charts and versions are no paths: what they lead to lies in the directory.
	if base := facts.File(); base != filepath.Base(base) || !filepath.IsLocal(base) {
		return nil, fmt.Errorf("%q is no name for a file", base)
	}
	names := []string{facts.File() + ".cue", facts.File() + ".json"}
	contents := map[string][]byte{names[0]: facts.CUE, names[1]: facts.Index}
	var (
		files    []tree.File
		problems []error
	)
	// Facts without an index are an error; an index without facts is none.
	for _, name := range slices.Backward(names) {
		files = append(files, tree.File{Path: filepath.Join(dir, name), Data: contents[name]})
	}
	for i, name := range names {
		names[i] = filepath.ToSlash(filepath.Join(dir, name))
		problems = append(problems, mayWrite(filepath.Join(dir, name), contents[name], f.force))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return names, tree.ReplaceFiles(files)
}

// mayWrite fails where something lies that is not to be replaced.
func mayWrite(name string, data []byte, force bool) error {
	info, err := os.Lstat(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s exists and is no regular file", filepath.ToSlash(name))
	}
	there, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if string(there) != string(data) && !force {
		return fmt.Errorf("%s exists and differs; --force overwrites it", filepath.ToSlash(name))
	}
	return nil
}

// moduleDir is the directory of the CUE module around the working directory, named
// from there.
func moduleDir() (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "cue.mod")); err == nil && info.IsDir() {
			return filepath.Rel(wd, dir)
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no directory around this one holds cue.mod, so there is no place for facts of a site; name one with --dir, or run `gpugen init` first")
		}
	}
}
