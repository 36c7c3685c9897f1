// Package spectest writes specs in each format, and knows where it wrote what. Nothing
// but tests may import it.
package spectest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
)

// IDs of findings about names.
const (
	UnknownField     = "SPEC-020"
	unknownComponent = "SPEC-021"
)

// Tree is a spec in the order it is written in.
type Tree []Branch

// Branch is one field.
type Branch = struct {
	Key   string
	Value any
}

// Good is a spec without a fault, with every kind of value in it.
func Good() Tree {
	return Tree{
		{"name", "research"},
		{"kubernetes", Tree{{"version", "1.35.8"}, {"distribution", "kubeadm"}}},
		{"gitops", Tree{
			{"repoURL", "https://git.example.com/platform/gpu.git"},
			{"path", "clusters/research/tree"},
			{"argocd", Tree{{"sync", Tree{{"prune", false}}}}},
		}},
		{"nodePools", Tree{{"train", Tree{
			{"nodeSelector", Tree{{"node.example.com/pool", "train"}}},
			{"nodes", 16},
			{"gpu", Tree{{"model", "h100-sxm-80gb"}, {"count", 8}}},
			{"os", Tree{{"name", "ubuntu"}, {"version", "24.04"}}},
			{"driver", Tree{{"source", "operator"}}},
			{"sharing", Tree{{"strategy", "exclusive"}}},
			{"taints", []any{Tree{{"key", "nvidia.com/gpu"}, {"effect", "NoSchedule"}}}},
		}}}},
		{"components", Tree{{"gpu-operator", Tree{{"values", Tree{{"operator", Tree{{"logging", nil}, {"replicas", 1.5}}}}}}}}},
	}
}

// Set replaces or appends the value at path.
func (t Tree) Set(path []any, value any) Tree {
	out := slices.Clone(t)
	for i, b := range out {
		if b.Key == path[0] {
			out[i].Value = setIn(b.Value, path[1:], value)
			return out
		}
	}
	return append(out, Branch{path[0].(string), setIn(Tree{}, path[1:], value)})
}

func setIn(at any, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	switch at := at.(type) {
	case Tree:
		return at.Set(path, value)
	case []any:
		out := slices.Clone(at)
		out[path[0].(int)] = setIn(out[path[0].(int)], path[1:], value)
		return out
	}
	return Tree{}.Set(path, value)
}

// Without removes the field at path.
func (t Tree) Without(path []any) Tree {
	out := slices.Clone(t)
	for i, b := range out {
		if b.Key != path[0] {
			continue
		}
		if len(path) == 1 {
			return slices.Delete(out, i, i+1)
		}
		out[i].Value = b.Value.(Tree).Without(path[1:])
	}
	return out
}

// Written is a tree as text, and where each label is.
type Written struct {
	Text   strings.Builder
	Format string
	// Places are line and column of each label, by path.
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

// Brief renders findings as "file:line:column ID".
func Brief(findings diag.List) []string {
	var out []string
	for _, f := range findings {
		out = append(out, fmt.Sprintf("%s:%d:%d %s", f.Position.File, f.Position.Line, f.Position.Column, f.ID))
	}
	return out
}

// CheckFindings checks what holds for every finding about an input.
func CheckFindings(t testing.TB, findings diag.List, inputs map[string]string) {
	t.Helper()
	for _, f := range findings {
		if f.Message == "" || f.Why == "" || f.Fix == "" {
			t.Errorf("finding says too little: %+v", f)
		}
		if f.Fatal {
			continue
		}
		for _, p := range append([]diag.Position{f.Position}, positionsOf(f.Also)...) {
			text, ok := inputs[p.File]
			if !ok {
				t.Errorf("%s points into %q, which is no input", f.ID, p.File)
				continue
			}
			lines := strings.Split(text, "\n")
			if p.Line < 1 || p.Line > len(lines) {
				t.Errorf("%s points at line %d of %d", f.ID, p.Line, len(lines))
				continue
			}
			line := strings.TrimSuffix(lines[p.Line-1], "\r")
			if p.Line == 1 {
				line = strings.TrimPrefix(line, "\uFEFF")
			}
			if n := utf8.RuneCountInString(line); p.Column < 1 || p.Column > n+1 {
				t.Errorf("%s points at column %d of %d: %+v", f.ID, p.Column, n, f)
			}
			if f.ID == UnknownField || f.ID == unknownComponent {
				// A finding about a name points at just that name.
				at := strings.Trim(string([]rune(line)[p.Column-1:max(p.EndColumn, p.Column)-1]), `"'`)
				elements := Elements(f.Path)
				if name := elements[len(elements)-1]; at != name && strings.Trim(fmt.Sprint(name), `"'`) != at && plainKey.MatchString(at) && p == f.Position {
					t.Errorf("%s points at %q, not at %s", f.ID, at, f.Path)
				}
			}
			if p.Text != line && p.Text != "" {
				t.Errorf("%s quotes %q, the line is %q", f.ID, p.Text, line)
			}
		}
	}
}

func positionsOf(places []diag.Place) []diag.Position {
	var out []diag.Position
	for _, p := range places {
		out = append(out, p.Position)
	}
	return out
}

// Elements parses a path in CUE's form.
func Elements(path string) []any {
	var out []any
	for _, sel := range cue.ParsePath(path).Selectors() {
		switch sel.LabelType() {
		case cue.IndexLabel:
			out = append(out, sel.Index())
		case cue.StringLabel:
			out = append(out, sel.Unquoted())
		default:
			out = append(out, sel.String())
		}
	}
	return out
}
