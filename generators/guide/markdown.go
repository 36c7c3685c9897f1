package guide

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/tree"
)

// writer makes Markdown of blocks: each after a blank line.
type writer struct {
	bytes.Buffer
	// tree makes the blocks that only the finished tree tells.
	tree func(name string) (plan.Block, error)
}

// page writes a page: its title, its introduction and its sections.
func (w *writer) page(p plan.Page) error {
	fmt.Fprintf(w, "# %s\n", text(p.Title))
	if err := w.blocks(p.Intro); err != nil {
		return err
	}
	for _, section := range p.Sections {
		fmt.Fprintf(w, "\n## %s\n", text(section.Title))
		if err := w.blocks(section.Blocks); err != nil {
			return fmt.Errorf("section %q: %w", section.Title, err)
		}
	}
	return nil
}

func (w *writer) blocks(blocks []plan.Block) error {
	for _, block := range blocks {
		if err := w.block(block); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) block(b plan.Block) error {
	if b.Tree != "" {
		made, err := w.tree(b.Tree)
		if err != nil {
			return err
		}
		b = made
	}
	w.WriteByte('\n')
	switch {
	case b.Paragraph != "":
		fmt.Fprintf(w, "%s\n", text(b.Paragraph))
	case b.Table != nil:
		w.table(b.Table)
	case len(b.Bullets) > 0:
		for _, item := range b.Bullets {
			fmt.Fprintf(w, "* %s\n", text(item))
		}
	case len(b.Steps) > 0:
		for i, item := range b.Steps {
			fmt.Fprintf(w, "%d. %s\n", i+1, text(item))
		}
	case len(b.YAML) > 0:
		return w.yaml(b.YAML)
	case b.Code != nil:
		w.code(b.Code.Language, b.Code.Text)
	default:
		return fmt.Errorf("a block that is none of the known ones: %+v", b)
	}
	return nil
}

func (w *writer) table(t *plan.Table) {
	w.row(t.Columns)
	fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(t.Columns)))
	for _, row := range t.Rows {
		w.row(row)
	}
}

func (w *writer) row(cells []string) {
	for _, cell := range cells {
		// A bar ends a cell even between backticks.
		fmt.Fprintf(w, "| %s ", strings.ReplaceAll(text(cell), "|", `\|`))
	}
	w.WriteString("|\n")
}

func (w *writer) yaml(objects []map[string]any) error {
	var out []string
	for _, o := range objects {
		data, err := tree.Marshal(o)
		if err != nil {
			return err
		}
		out = append(out, string(data))
	}
	w.code("yaml", strings.Join(out, "---\n"))
	return nil
}

// code writes a block of code, fenced by more backticks than it holds in a row.
func (w *writer) code(language, body string) {
	fence := "```"
	for strings.Contains(body, fence) {
		fence += "`"
	}
	fmt.Fprintf(w, "%s%s\n%s\n%s\n", fence, language, strings.TrimRight(body, "\n"), fence)
}

// special is what Markdown reads in text: the beginnings of emphasis, links and
// HTML. An underscore inside a word is none.
var special = regexp.MustCompile(`[\\*\[\]<]|\b_|_\b`)

// text is plain text, with code between backticks, as Markdown on one line.
func text(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	var out strings.Builder
	for s != "" {
		code := strings.IndexByte(s, '`')
		if code < 0 {
			code = len(s)
		}
		out.WriteString(special.ReplaceAllString(s[:code], `\$0`))
		s = s[code:]
		ticks := len(s) - len(strings.TrimLeft(s, "`"))
		end := closing(s, ticks)
		if end < 0 { // backticks that nothing closes are none for Markdown either
			out.WriteString(strings.Repeat("\\`", ticks))
			end = ticks
		} else {
			out.WriteString(s[:end])
		}
		s = s[end:]
	}
	return out.String()
}

// closing is where the code ends that a text begins with, behind so many backticks: at the
// next row of just as many. It is negative if there is none.
func closing(s string, ticks int) int {
	for at := ticks; at < len(s); {
		if s[at] != '`' {
			at++
			continue
		}
		row := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		if at += row; row == ticks {
			return at
		}
	}
	return -1
}
