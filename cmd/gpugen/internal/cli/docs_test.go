package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/cmd/internal/chartcli"
)

// root is the top of the repository, seen from this package.
const root = "../../../.."

// docs are made from the code and its knowledge, so that they cannot lie.
var docs = []struct {
	file  string
	write func(t *testing.T, out *page)
}{
	{"docs/cli.md", writeCLIDoc},
	{"docs/rules.md", writeRulesDoc},
	{"docs/spec.md", writeSpecDoc},
	{"docs/components.md", writeComponentsDoc},
}

func TestDocsAreWhatTheCodeSays(t *testing.T) {
	for _, doc := range docs {
		t.Run(doc.file, func(t *testing.T) {
			var out page
			out.line("<!-- Made from the code by `make golden`; a test compares them. -->")
			doc.write(t, &out)
			file := filepath.Join(root, doc.file)
			if os.Getenv(updateVariable) != "" {
				if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			have, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(have, out.Bytes()) {
				t.Errorf("%s is not what the code says: run `make golden`", doc.file)
			}
		})
	}
}

// page is Markdown in the making.
type page struct{ bytes.Buffer }

// line writes one line.
func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// paragraph writes lines with a blank one before them.
func (p *page) paragraph(format string, args ...any) { p.line("\n"+format, args...) }

// code writes a fenced block.
func (p *page) code(language, text string) {
	p.paragraph("```%s\n%s\n```", language, strings.Trim(text, "\n"))
}

// cell is text that can stand in a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

func writeCLIDoc(t *testing.T, out *page) {
	out.line("# The command line")
	out.paragraph("Standard output carries only the product of a command; findings of `render` go to standard error.")
	cmd := newRoot(streams{})
	cmd.InitDefaultHelpCmd()
	writeCommand(out, cmd)
}

func writeCommand(out *page, cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	out.paragraph("## %s", cmd.CommandPath())
	out.code("text", cmd.UseLine())
	// Lists in help texts are indented; here they are code.
	out.paragraph("%s", markdown(long))
	if cmd.Example != "" {
		out.code("sh", unindent(cmd.Example))
	}
	if flags := cmd.NonInheritedFlags().FlagUsages(); flags != "" {
		out.code("text", flags)
	}
	commands := cmd.Commands()
	if cmd.Name() == "chart" {
		// What gpugen-chart has, which gpugen does not know.
		commands = chartcli.Command(io.Discard).Commands()
	}
	for _, sub := range commands {
		if sub.Name() != "help" && !sub.Hidden {
			writeCommand(out, sub)
		}
	}
}

// markdown keeps indented lines of a help text as code.
func markdown(text string) string {
	var out []string
	indented := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if now := strings.HasPrefix(line, "  "); now != indented {
			indented = now
			out = append(out, map[bool]string{true: "\n```text", false: "```"}[now])
		}
		out = append(out, line)
	}
	if indented {
		out = append(out, "```")
	}
	return strings.Join(out, "\n")
}

func unindent(text string) string {
	return strings.TrimPrefix(strings.ReplaceAll(text, "\n  ", "\n"), "  ")
}
