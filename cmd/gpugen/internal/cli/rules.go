package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/cmd/gpugen/internal/report"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

func newRules(s streams) *cobra.Command {
	var format, test string
	cmd := &cobra.Command{
		Use:   "rules [ID]",
		Short: "List the rules, explain one, or try those of the site",
		Long: `rules lists every kind of finding with its severity. With an ID it explains one: why it
matters, what cures it, where the fact behind it is said, and a spec that breaks it
beside one that does not. Rules of the site, in the folder gpugen of this CUE module,
are among them.

With --test DIR it tries each rule of the site of the module that DIR is in on its own
examples, as gpugen's own rules are tested: bad and good are laid over a small good spec
with one pool called p; in bad this rule finds something, and no other does, and nothing
is found in good, nor in bad with each way of the fix that fixed lists. What does not
hold is a finding at its line.`,
		Example: `  gpugen rules
  gpugen rules DRIVER-001
  gpugen rules --test .                # in CI, beside gpugen vet
  gpugen rules --format json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := report.Known(format); err != nil {
				return err
			}
			if cmd.Flags().Changed("test") {
				return testRules(cmd.Context(), s, format, test, args)
			}
			catalogue, findings, err := findUntilInterrupted(cmd.Context(), func() ([]schema.Rule, diag.List, error) {
				return generators.CatalogueAt(newFindingFlags().site(cmd.Context(), s, ".", justSite))
			})
			if err != nil {
				return err
			}
			if findings.HasErrors() {
				return (&findingFlags{format: "text"}).write(s.err, findings)
			}
			if len(args) == 0 {
				if format == "json" {
					return report.JSON(s.out, catalogue)
				}
				return listRules(s, catalogue)
			}
			id, err := currentID(s, args[0])
			if err != nil {
				return err
			}
			for _, rule := range catalogue {
				if rule.ID != id {
					continue
				}
				if format == "json" {
					return report.JSON(s.out, rule)
				}
				return explainRule(s, rule)
			}
			return unknownRule(args[0], catalogue)
		},
	}
	calls(cmd, "gpugen rules ID, of a finding", "explain", "why", "describe")
	cmd.Flags().StringVar(&format, "format", "text", "how rules are written: "+report.Formats())
	cmd.Flags().StringVar(&test, "test", "", "try the rules of the site of this directory on their own examples")
	return cmd
}

// testRules tries the rules of a site on their own examples.
func testRules(ctx context.Context, s streams, format, dir string, args []string) error {
	if len(args) > 0 {
		return &usageError{"--test tries all rules of the site; leave out " + args[0]}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return &usageError{"--test is " + dir + ", want a directory"}
	}
	tried, findings, err := findUntilInterrupted(ctx, func() (int, diag.List, error) {
		return schema.TrySiteRules(newFindingFlags().site(ctx, s, dir, siteExamples))
	})
	if err != nil {
		return err
	}
	if err := (&findingFlags{format: format}).write(s.out, findings); err != nil {
		return err
	}
	switch {
	case format != "text":
	case tried == 0:
		fmt.Fprintf(s.err, "no rules: there are none in %s of the module that %s is in\n", siteRulesDir, filepath.ToSlash(dir))
	default:
		fmt.Fprintf(s.err, "%d rules hold on their examples\n", tried)
	}
	return nil
}

// siteRulesDir is where a site has its rules.
const siteRulesDir = "gpugen/schema/rules"

// currentID is the ID itself, or the one that says the same today.
func currentID(s streams, id string) (string, error) {
	retired, err := schema.Retired()
	if err != nil {
		return "", err
	}
	if now, ok := retired[id]; ok {
		fmt.Fprintf(s.err, "%s is %s today.\n", id, now)
		return now, nil
	}
	return id, nil
}

func listRules(s streams, catalogue []schema.Rule) error {
	w := tabwriter.NewWriter(diag.Writer{To: s.out}, 0, 0, 2, ' ', 0)
	for _, r := range catalogue {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.ID, r.Severity, r.Title)
	}
	return w.Flush()
}

func explainRule(s streams, r schema.Rule) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s (%s): %s\n\nwhy: %s\nfix: %s\n", r.ID, r.Severity, r.Title, r.Why, r.Fix)
	if r.Source != "" {
		fmt.Fprintf(&out, "see: %s\n", r.Source)
	}
	if r.Guarded {
		fmt.Fprintln(&out, "\nNo spec can break this rule; an override that would is refused by it.")
	}
	for _, example := range []struct {
		label string
		spec  map[string]any
	}{{"bad", r.Bad}, {"good", r.Good}} {
		if example.spec == nil {
			continue
		}
		text, err := report.YAML(example.spec)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "\n%s:\n%s", example.label, text)
	}
	_, err := out.WriteTo(diag.Writer{To: s.out})
	return err
}

func unknownRule(id string, catalogue []schema.Rule) error {
	ids := make([]string, len(catalogue))
	for i, r := range catalogue {
		ids[i] = r.ID
	}
	if near := schema.Nearest(id, ids); len(near) > 0 {
		return &usageError{fmt.Sprintf("no rule %q; did you mean %s?", id, strings.Join(near, " or "))}
	}
	return &usageError{fmt.Sprintf("no rule %q; `gpugen rules` lists them", id)}
}
