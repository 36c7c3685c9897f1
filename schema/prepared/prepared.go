// Package prepared owns a form of parsed CUE that is quicker to read than the text:
// the syntax with every position and every resolved identifier. It must not know
// what the files say, nor change it.
package prepared

import (
	"encoding/binary"
	"fmt"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// Write returns the prepared form of files, each as build.Instance.AddSyntax leaves
// it: what identifiers refer to inside of their file is kept.
//
// An error means that there is syntax that this package does not know.
func Write(files []*ast.File) ([]byte, error) {
	c := &coder{}
	n := len(files)
	c.number(&n)
	for _, f := range files {
		c.numbers = map[ast.Node]int{}
		start := len(c.data)
		for c.pass = findTargets; c.pass <= write; c.pass++ {
			c.data, c.next = c.data[:start], 0
			c.writeFile(f)
		}
		if c.err != nil {
			return nil, fmt.Errorf("%s: %w", f.Filename, c.err)
		}
	}
	out := binary.AppendUvarint(nil, uint64(len(c.data)))
	return append(append(out, c.data...), c.all.String()...), nil
}

func (c *coder) writeFile(f *ast.File) {
	c.file, c.last = f.Pos().File(), 0
	if c.file == nil {
		c.fail("a file without positions")
		return
	}
	name := c.file.Name()
	c.string(&name)
	size := c.file.Size()
	c.number(&size)
	lines := c.file.Lines()
	n := len(lines)
	c.number(&n)
	last := 0
	for _, line := range lines {
		distance := line - last
		c.number(&distance)
		last = line
	}
	node(c, &f)
}

// Read returns the files of a prepared form.
//
// An error means that the form is damaged, or not of this package.
func Read(data string) (files []*ast.File, err error) {
	// Where a number is damaged, all after it may be anything.
	defer func() {
		if r := recover(); r != nil {
			files, err = nil, fmt.Errorf("damaged: %v", r)
		}
	}()
	size, start := binary.Uvarint([]byte(data[:min(len(data), binary.MaxVarintLen64)]))
	if start <= 0 || uint64(len(data)-start) < size {
		return nil, fmt.Errorf("damaged: it ends early")
	}
	end := start + int(size)
	c := &coder{reading: true, data: []byte(data[start:end]), text: data[end:]}
	settings, err := defaults()
	if err != nil {
		return nil, err
	}
	n := 0
	c.number(&n)
	for range n {
		files = append(files, c.readFile(settings))
		if c.err != nil {
			return nil, c.err
		}
	}
	return files, nil
}

func (c *coder) readFile(settings token.Pos) *ast.File {
	var (
		name    string
		size, n int
		f       *ast.File
	)
	c.string(&name)
	c.number(&size)
	c.number(&n)
	lines := make([]int, min(n, len(c.data)))
	last := 0
	for i := range lines {
		c.number(&lines[i])
		lines[i] += last
		last = lines[i]
	}
	c.file, c.last = token.NewFile(name, -1, size), 0
	experiments := settings.Experiment()
	c.file.SetExperiments(&experiments)
	if !c.file.SetLines(lines) {
		c.fail("damaged: lines of %s", name)
	}
	node(c, &f)
	c.settle()
	return f
}

// defaults is a position in a file that was parsed, since nothing but the parser
// says which variants of the language are on in a file.
func defaults() (token.Pos, error) {
	f, err := parser.ParseFile("", "package p\n")
	if err != nil {
		return token.NoPos, err
	}
	return f.Pos(), nil
}
