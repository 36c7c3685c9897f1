// Package prepared owns a form of parsed CUE that is quicker to read than the text:
// the syntax with every position and every resolved identifier. It must not know
// what the files say, nor change it.
package prepared

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

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
	var sizes []int
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
		sizes = append(sizes, len(c.data)-start)
	}
	body := c.data
	c.data = nil
	n := len(files)
	c.number(&n)
	for i, f := range files {
		c.string(&f.Filename)
		c.number(&sizes[i])
	}
	out := binary.AppendUvarint(nil, uint64(len(c.data)))
	out = binary.AppendUvarint(out, uint64(len(body)))
	return slices.Concat(out, c.data, body, []byte(c.all.String())), nil
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

// Archive is a prepared form of which each file is read when it is asked for.
type Archive struct {
	// Names of the files, in their order.
	Names []string

	reading  sync.Mutex
	coder    *coder
	starts   []int
	settings token.Pos
}

// Open reads what files a prepared form has.
//
// An error means that the form is damaged, or not of this package.
func Open(data string) (*Archive, error) {
	var sizes [2]int
	rest := data
	for i := range sizes {
		size, n := binary.Uvarint([]byte(rest[:min(len(rest), binary.MaxVarintLen64)]))
		if n <= 0 || size > uint64(len(data)) {
			return nil, fmt.Errorf("damaged: it ends early")
		}
		sizes[i], rest = int(size), rest[n:]
	}
	if sizes[0]+sizes[1] > len(rest) {
		return nil, fmt.Errorf("damaged: it ends early")
	}
	index, body, text := rest[:sizes[0]], rest[sizes[0]:sizes[0]+sizes[1]], rest[sizes[0]+sizes[1]:]
	settings, err := defaults()
	if err != nil {
		return nil, err
	}
	a := &Archive{coder: &coder{reading: true, from: index, text: text}, settings: settings}
	n, start := 0, 0
	a.coder.number(&n)
	for range n {
		var name string
		size := 0
		a.coder.string(&name)
		a.coder.number(&size)
		if a.coder.err != nil {
			return nil, a.coder.err
		}
		a.Names, a.starts = append(a.Names, name), append(a.starts, start)
		start += size
	}
	a.coder.from, a.coder.at = body, 0
	return a, nil
}

// File reads a file, by its place in Names.
//
// An error means that the form is damaged.
func (a *Archive) File(i int) (f *ast.File, err error) {
	a.reading.Lock()
	defer a.reading.Unlock()
	// Where a number is damaged, all after it may be anything.
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("damaged: %v", r)
		}
	}()
	a.coder.at = a.starts[i]
	f = a.coder.readFile(a.settings)
	return f, a.coder.err
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
	lines := make([]int, min(n, len(c.from)))
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
