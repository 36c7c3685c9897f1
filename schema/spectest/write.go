package spectest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/schema/source"
)

// Written is a tree as text, and where each label is.
type Written struct {
	Text   strings.Builder
	Format string
	// Places are line and column of each label and each element, by path.
	Places map[string][2]int

	line   int
	column int
}

var plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// Write writes a tree as cue, yaml or json.
func Write(format string, t Tree) *Written {
	w := &Written{Format: format, line: 1, column: 1, Places: map[string][2]int{}}
	switch format {
	case "cue":
		w.print("package cluster\n")
		w.fields(nil, t, 0)
	case "yaml":
		w.fields(nil, t, 0)
	case "json":
		w.Value(nil, t, 0)
		w.print("\n")
	}
	return w
}

func (w *Written) print(s string) {
	w.Text.WriteString(s)
	for _, r := range s {
		if r == '\n' {
			w.line, w.column = w.line+1, 1
		} else {
			w.column++
		}
	}
}

func (w *Written) indent(depth int) {
	if w.Format == "yaml" {
		w.print(strings.Repeat("  ", depth))
	} else {
		w.print(strings.Repeat("\t", depth))
	}
}

func (w *Written) fields(path []any, t Tree, depth int) {
	for i, b := range t {
		at := source.Join(path, b.Key)
		w.indent(depth)
		key := b.Key
		if w.Format == "json" || !plainKey.MatchString(key) || w.Format == "cue" && strings.Contains(key, "-") {
			key = fmt.Sprintf("%q", key)
		}
		w.Places[source.PathString(at)] = [2]int{w.line, w.column}
		w.print(key + ":")
		w.Value(at, b.Value, depth)
		if w.Format == "json" && i < len(t)-1 {
			w.print(",")
		}
		w.print("\n")
	}
}

// Value writes one value.
func (w *Written) Value(path []any, v any, depth int) {
	switch v := v.(type) {
	case Tree:
		switch {
		case w.Format == "yaml" && len(v) > 0:
			w.print("\n")
			w.fields(path, v, depth+1)
		case w.Format == "yaml":
			w.print(" {}")
		default:
			w.print(" {\n")
			w.fields(path, v, depth+1)
			w.indent(depth)
			w.print("}")
		}
	case []any:
		if w.Format == "yaml" && len(v) == 0 || w.Format != "yaml" {
			w.print(" [")
		}
		for i, e := range v {
			if w.Format == "yaml" {
				w.print("\n")
				w.indent(depth + 1)
				w.print("-")
			}
			w.Places[source.PathString(source.Join(path, i))] = w.begin(e, depth+2)
			w.Value(source.Join(path, i), e, depth+1)
			if w.Format != "yaml" && i < len(v)-1 {
				w.print(",")
			}
		}
		if w.Format == "yaml" && len(v) == 0 || w.Format != "yaml" {
			w.print("]")
		}
	case Raw:
		w.print(" " + string(v))
	default:
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		w.print(" " + string(b))
	}
}

// begin is where an element will stand that is written next.
func (w *Written) begin(element any, depth int) [2]int {
	tree, _ := element.(Tree)
	list, _ := element.([]any)
	if w.Format == "yaml" && len(tree)+len(list) > 0 {
		return [2]int{w.line + 1, 2*depth + 1}
	}
	return [2]int{w.line, w.column + 1}
}

// Raw is text that is written as it is.
type Raw string

// WriteFiles writes files into a new directory, and makes it the working one.
func WriteFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if t, ok := t.(*testing.T); ok {
		t.Chdir(dir)
	}
	return dir
}
