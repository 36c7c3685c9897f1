package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// writeText is for people: the first line of a finding is file:line:col, so that
// editors find it.
func writeText(w io.Writer, _ string, findings diag.List) error {
	var out bytes.Buffer
	for i, f := range findings {
		if i > 0 {
			out.WriteByte('\n')
		}
		writeFinding(&out, f)
	}
	if errors, warnings := findings.Count(); errors+warnings > 0 {
		fmt.Fprintf(&out, "\n%s, %s\n", count(errors, "error"), count(warnings, "warning"))
	}
	_, err := w.Write(out.Bytes())
	return err
}

func writeFinding(out *bytes.Buffer, f diag.Finding) {
	if at := place(f.Position); at != "" {
		out.WriteString(at + ": ")
	}
	fmt.Fprintf(out, "%s %s: %s\n", f.Severity, diag.Visible(f.ID), diag.Visible(f.Message))
	writeExcerpt(out, f.Position)
	for _, also := range f.Also {
		at := place(also.Position)
		if at != "" {
			at += ": "
		}
		fmt.Fprintf(out, "  also %s%s\n", at, diag.Visible(strings.TrimSpace(also.Path+" "+also.Note)))
	}
	for _, line := range []struct{ label, text string }{{"why", f.Why}, {"fix", f.Fix}, {"see", f.Source}} {
		if line.text != "" {
			fmt.Fprintf(out, "  %s: %s\n", line.label, diag.Visible(line.text))
		}
	}
}

// writeExcerpt shows the line, and a mark under what is meant.
func writeExcerpt(out *bytes.Buffer, p diag.Position) {
	if p.Line == 0 || strings.TrimSpace(p.Text) == "" {
		return
	}
	fmt.Fprintf(out, "  %5d | %s\n", p.Line, diag.Visible(p.Text))
	if p.Column == 0 {
		return
	}
	runes := []rune(p.Text)
	begin := min(p.Column-1, len(runes))
	end := max(begin, min(p.EndColumn-1, len(runes)))
	// Tabs stay tabs, so that the mark stands below what it marks.
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, diag.Visible(string(runes[:begin])))
	marked := len([]rune(diag.Visible(string(runes[begin:end]))))
	fmt.Fprintf(out, "        | %s%s\n", pad, strings.Repeat("^", max(1, marked)))
}

func place(p diag.Position) string {
	switch {
	case p.File == "":
		return ""
	case p.Line == 0:
		return diag.Visible(p.File)
	default:
		return fmt.Sprintf("%s:%d:%d", diag.Visible(p.File), p.Line, p.Column)
	}
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
