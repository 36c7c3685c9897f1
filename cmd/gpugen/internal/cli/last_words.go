package cli

import (
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// lastWords keeps of what a process writes to standard error what may say why it
// ended: the beginning, where a Go program says why it fails, and the end, where
// others do.
type lastWords struct{ begin, end []byte }

// most is how much is kept of either, in bytes.
const mostWords = 2 << 10

// Write implements io.Writer.
func (w *lastWords) Write(p []byte) (int, error) {
	w.begin = append(w.begin, p[:min(len(p), mostWords-len(w.begin))]...)
	w.end = append(w.end, p[max(0, len(p)-mostWords):]...)
	w.end = slices.Clone(w.end[max(0, len(w.end)-mostWords):])
	return len(p), nil
}

// String is at most three lines, as one that can be printed; "" where nothing was said.
func (w *lastWords) String() string {
	lines := linesOf(w.end)
	// Behind its reason, a Go program lists where its goroutines are.
	if begin := linesOf(w.begin); slices.ContainsFunc(begin, beginsTrace) {
		lines = begin[:slices.IndexFunc(begin, beginsTrace)]
	}
	lines = lines[max(0, len(lines)-3):]
	for i, line := range lines {
		if diag.Secret(line) != "" {
			line = "(a line with a secret)"
		}
		lines[i] = diag.OneLine(diag.Visible(line))
	}
	return strings.Join(lines, "; ")
}

// linesOf are the lines that say something.
func linesOf(text []byte) []string {
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

func beginsTrace(line string) bool {
	return line == "runtime stack:" || strings.HasPrefix(line, "goroutine ")
}
