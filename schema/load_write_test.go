package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
)

// tree is a spec in the order it is written in.
type tree []branch

type branch struct {
	key   string
	value any
}

// goodTree is a spec without a fault, with every kind of value in it.
func goodTree() tree {
	return tree{
		{"name", "research"},
		{"kubernetes", tree{{"version", "1.34.2"}, {"distribution", "kubeadm"}}},
		{"gitops", tree{
			{"repoURL", "https://git.example.com/platform/gpu.git"},
			{"path", "clusters/research/tree"},
			{"argocd", tree{{"sync", tree{{"prune", false}}}}},
		}},
		{"nodePools", tree{{"train", tree{
			{"nodeSelector", tree{{"node.example.com/pool", "train"}}},
			{"nodes", 16},
			{"gpu", tree{{"model", "h100-sxm-80gb"}, {"count", 8}}},
			{"os", tree{{"name", "ubuntu"}, {"version", "24.04"}}},
			{"driver", tree{{"source", "operator"}}},
			{"sharing", tree{{"strategy", "exclusive"}}},
			{"taints", []any{tree{{"key", "nvidia.com/gpu"}, {"effect", "NoSchedule"}}}},
		}}}},
		{"components", tree{{"gpu-operator", tree{{"values", tree{{"operator", tree{{"logging", nil}, {"replicas", 1.5}}}}}}}}},
	}
}

// set replaces or appends the value at path.
func (t tree) set(path []any, value any) tree {
	out := slices.Clone(t)
	for i, b := range out {
		if b.key == path[0] {
			out[i].value = setIn(b.value, path[1:], value)
			return out
		}
	}
	return append(out, branch{path[0].(string), setIn(tree{}, path[1:], value)})
}

func setIn(at any, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	switch at := at.(type) {
	case tree:
		return at.set(path, value)
	case []any:
		out := slices.Clone(at)
		out[path[0].(int)] = setIn(out[path[0].(int)], path[1:], value)
		return out
	}
	return tree{}.set(path, value)
}

// without removes the field at path.
func (t tree) without(path []any) tree {
	out := slices.Clone(t)
	for i, b := range out {
		if b.key != path[0] {
			continue
		}
		if len(path) == 1 {
			return slices.Delete(out, i, i+1)
		}
		out[i].value = b.value.(tree).without(path[1:])
	}
	return out
}

// written is a tree as text, and where each label is.
type written struct {
	text   strings.Builder
	format string
	line   int
	column int
	places map[string][2]int
}

var plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func write(format string, t tree) *written {
	w := &written{format: format, line: 1, column: 1, places: map[string][2]int{}}
	switch format {
	case "cue":
		w.print("package cluster\n")
		w.fields(nil, t, 0)
	case "yaml":
		w.fields(nil, t, 0)
	case "json":
		w.value(nil, t, 0)
		w.print("\n")
	}
	return w
}

func (w *written) print(s string) {
	w.text.WriteString(s)
	for _, r := range s {
		if r == '\n' {
			w.line, w.column = w.line+1, 1
		} else {
			w.column++
		}
	}
}

func (w *written) indent(depth int) {
	if w.format == "yaml" {
		w.print(strings.Repeat("  ", depth))
	} else {
		w.print(strings.Repeat("\t", depth))
	}
}

func (w *written) fields(path []any, t tree, depth int) {
	for i, b := range t {
		at := join(path, b.key)
		w.indent(depth)
		key := b.key
		if w.format == "json" || !plainKey.MatchString(key) || w.format == "cue" && strings.Contains(key, "-") {
			key = fmt.Sprintf("%q", key)
		}
		w.places[PathString(at)] = [2]int{w.line, w.column}
		w.print(key + ":")
		w.value(at, b.value, depth)
		if w.format == "json" && i < len(t)-1 {
			w.print(",")
		}
		w.print("\n")
	}
}

func (w *written) value(path []any, v any, depth int) {
	switch v := v.(type) {
	case tree:
		switch {
		case w.format == "yaml" && len(v) > 0:
			w.print("\n")
			w.fields(path, v, depth+1)
		case w.format == "yaml":
			w.print(" {}")
		default:
			w.print(" {\n")
			w.fields(path, v, depth+1)
			w.indent(depth)
			w.print("}")
		}
	case []any:
		if w.format == "yaml" && len(v) == 0 || w.format != "yaml" {
			w.print(" [")
		}
		for i, e := range v {
			if w.format == "yaml" {
				w.print("\n")
				w.indent(depth + 1)
				w.print("-")
			}
			w.value(join(path, i), e, depth+1)
			if w.format != "yaml" && i < len(v)-1 {
				w.print(",")
			}
		}
		if w.format == "yaml" && len(v) == 0 || w.format != "yaml" {
			w.print("]")
		}
	case raw:
		w.print(" " + string(v))
	default:
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		w.print(" " + string(b))
	}
}

// raw is text that is written as it is.
type raw string

// testEngine compiles the schema once for all tests of loading.
var testEngine = sync.OnceValues(newSpecEngine)

func engineForTest(t testing.TB) *engine {
	t.Helper()
	e, err := testEngine()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// writeFiles writes files into a new directory, and makes it the working one.
func writeFiles(t testing.TB, files map[string]string) string {
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

// brief renders findings as "file:line:column ID".
func brief(findings diag.List) []string {
	var out []string
	for _, f := range findings {
		out = append(out, fmt.Sprintf("%s:%d:%d %s", f.Position.File, f.Position.Line, f.Position.Column, f.ID))
	}
	return out
}

// checkFindings checks what holds for every finding about an input.
func checkFindings(t testing.TB, findings diag.List, inputs map[string]string) {
	t.Helper()
	for _, f := range findings {
		if !slices.ContainsFunc(specIDs, func(d ID) bool { return d.ID == f.ID }) {
			t.Errorf("finding without a known ID: %+v", f)
		}
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
			if f.ID == idUnknownField || f.ID == idUnknownComponent {
				// A finding about a name points at just that name.
				at := strings.Trim(string([]rune(line)[p.Column-1:max(p.EndColumn, p.Column)-1]), `"'`)
				elements := cuePathElements(f.Path)
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

// cuePathElements parses a path in CUE's form.
func cuePathElements(path string) []any {
	return elements(cue.ParsePath(path))
}
