package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// writeText is for people: the first line of a finding is file:line:col, so that
// editors find it.
func writeText(w io.Writer, _ string, findings diag.List) error {
	var out bytes.Buffer
	shown := findings[:min(most, len(findings))]
	for i, f := range shown {
		if i > 0 {
			out.WriteByte('\n')
		}
		writeFinding(&out, f)
	}
	if left := len(findings) - len(shown); left > 0 {
		fmt.Fprintf(&out, "\n%s not shown\n", count(left, "more finding"))
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
	runes := []rune(p.Text)
	begin := min(max(0, p.Column-1), len(runes))
	end := max(begin, min(p.EndColumn-1, len(runes)))
	runes, begin, end = window(runes, begin, end)
	fmt.Fprintf(out, "  %5d | %s\n", p.Line, diag.Visible(string(runes)))
	if p.Column == 0 {
		return
	}
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

// widest is how much of a line is shown.
const widest = 240

// window cuts a long line down to what is around a mark, and moves the mark.
func window(line []rune, begin, end int) ([]rune, int, int) {
	if len(line) <= widest {
		return line, begin, end
	}
	from := max(0, min(begin-widest/3, len(line)-widest))
	to := min(len(line), from+widest)
	end = min(end, to)
	cut := slices.Clone(line[from:to])
	if from > 0 {
		cut = slices.Concat([]rune("... "), cut)
		begin, end = begin+4, end+4
	}
	if to < len(line) {
		cut = append(cut, []rune(" ...")...)
	}
	return cut, begin - from, max(begin, end) - from
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
