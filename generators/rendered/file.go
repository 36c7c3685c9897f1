package rendered

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
)

// Bounds on what is read: a tree is text that somebody else may have written.
const (
	maxFiles = 20000
	maxFile  = 8 << 20
	maxAll   = 256 << 20
)

// file is a file of the directory.
type file struct {
	path  string // relative to the directory, with slashes
	text  []byte
	lines []string
	docs  []*document
	err   error        // it is no YAML
	twice []*yaml.Node // keys that their mapping has already
}

// document is one manifest, or whatever else stands between two lines of dashes.
type document struct {
	file *file
	node *yaml.Node
	// object is nil unless the document is a mapping.
	object map[string]any
	// maker is the place of what makes the object, where it is not written itself.
	maker *diag.Position
}

func newFile(name string, text []byte) *file {
	return &file{path: name, text: text, lines: strings.Split(string(text), "\n")}
}

// read reads all regular files below a directory, and tells of links and of files
// that are too large.
func read(dir fs.FS) (map[string]*file, diag.List, error) {
	files, all := map[string]*file{}, 0
	var findings diag.List
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at := diag.Position{File: name}
		switch {
		case d.IsDir() && (d.Name() == ".git" || d.Name() == ".gpugen"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			findings.Add(escaping.At(at, "", "%s is a link", name))
			return nil
		case len(files) == maxFiles:
			return fmt.Errorf("more than %d files", maxFiles)
		}
		f, err := dir.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
		if err != nil {
			return err
		}
		if all += len(text); all > maxAll {
			return fmt.Errorf("more than %d MiB of files", maxAll>>20)
		}
		if len(text) > maxFile {
			findings.Add(tooLarge.At(at, "", "%s has more than %d MiB", name, maxFile>>20))
			return nil
		}
		files[name] = newFile(name, text)
		return nil
	})
	return files, findings, err
}

// isManifest tells whether Argo CD and kustomize take a file for manifests.
func isManifest(name string) bool {
	ext := path.Ext(name)
	return ext == ".yaml" || ext == ".yml" || ext == ".json"
}

// parse reads a file's documents.
func (f *file) parse() {
	if f.docs != nil || f.err != nil {
		return
	}
	f.docs = []*document{}
	for decoder := yaml.NewDecoder(bytes.NewReader(f.text)); ; {
		var n yaml.Node
		err := decoder.Decode(&n)
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			if at, fault := source.AliasFault(&n); fault != "" {
				err = fmt.Errorf("yaml: line %d: %s", at.Line, fault)
			}
		}
		if err != nil {
			f.err = err
			return
		}
		if len(n.Content) == 0 || n.Content[0].Tag == "!!null" {
			continue
		}
		d := &document{file: f, node: n.Content[0]}
		if d.node.Kind == yaml.MappingNode {
			d.object, _ = f.value(d.node).(map[string]any)
		}
		f.docs = append(f.docs, d)
	}
}

// value is what Argo CD reads: of a key that is there twice, the last. What is there
// twice is kept in the file.
func (f *file) value(n *yaml.Node) any {
	switch n.Kind {
	case yaml.AliasNode:
		return f.value(n.Alias)
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			out = append(out, f.value(c))
		}
		return out
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.Tag == "!!merge" {
				merged, _ := f.value(value).(map[string]any)
				for k, v := range merged {
					if _, ok := out[k]; !ok {
						out[k] = v
					}
				}
				continue
			}
			if _, twice := out[key.Value]; twice {
				f.twice = append(f.twice, key)
			}
			out[key.Value] = f.value(value)
		}
		return out
	}
	var out any
	if err := n.Decode(&out); err != nil {
		return n.Value
	}
	return out
}

// at is where a field stands, or the nearest field above it that is there. Keys are
// strings, and numbers of list items.
func (d *document) at(path ...any) diag.Position {
	if d.maker != nil {
		return *d.maker
	}
	n, label := d.node, d.node
	for _, step := range path {
		k, v := child(n, step)
		if v == nil {
			break
		}
		n, label = v, k
	}
	return d.file.position(label)
}

// child is a field of a mapping, or an item of a list, and what marks its place.
func child(n *yaml.Node, step any) (label, value *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch step := step.(type) {
	case string:
		if n.Kind != yaml.MappingNode {
			return nil, nil
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i], n.Content[i+1]
			}
		}
	case int:
		if n.Kind == yaml.SequenceNode && step < len(n.Content) {
			return n.Content[step], n.Content[step]
		}
	}
	return nil, nil
}

// position is the place of a node. The library counts columns in code points.
func (f *file) position(n *yaml.Node) diag.Position {
	p := diag.Position{File: f.path, Line: n.Line, Column: n.Column}
	if n.Line >= 1 && n.Line <= len(f.lines) {
		p.Text = strings.TrimSuffix(f.lines[n.Line-1], "\r")
	}
	if n.Kind == yaml.ScalarNode && n.Value != "" && strings.HasPrefix(from(p.Text, n.Column), n.Value) {
		p.EndColumn = n.Column + len([]rune(n.Value))
	}
	return p
}

// from is a text from a column on.
func from(text string, column int) string {
	all := []rune(text)
	if column < 1 || column > len(all) {
		return ""
	}
	return string(all[column-1:])
}

// start is the first line of a file.
func (f *file) start() diag.Position {
	return diag.Position{File: f.path, Line: 1, Column: 1, Text: strings.TrimSuffix(f.lines[0], "\r")}
}

// faultAt is the line that a parser complained of, or the first.
func (f *file) faultAt() diag.Position {
	at := f.start()
	var line int
	if _, after, ok := strings.Cut(f.err.Error(), "line "); ok {
		if _, err := fmt.Sscanf(after, "%d", &line); err == nil && line >= 1 && line <= len(f.lines) {
			at.Line, at.Text = line, strings.TrimSuffix(f.lines[line-1], "\r")
		}
	}
	return at
}

// withoutLine is what a parser says, less the place, which the finding has.
func withoutLine(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if _, after, ok := strings.Cut(rest, ": "); ok {
			return after
		}
	}
	return text
}
