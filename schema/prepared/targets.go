package prepared

import (
	"reflect"

	"cuelang.org/go/cue/ast"
)

// targets are the nodes of a file that identifiers refer to, by the order in which
// they are met.
type targets struct {
	// of a writer: the first pass finds them, the second numbers them.
	pass    int
	numbers map[ast.Node]int
	next    int
	byType  map[reflect.Type]int

	// of a reader: those met so far, and references to later ones.
	met     []ast.Node
	waiting []reference
}

type reference struct {
	from *ast.Node
	to   int
}

// Passes of a writer over a file.
const (
	findTargets = iota
	numberTargets
	write
)

// meet tells whether a node is a target.
func (c *coder) meet(n ast.Node) bool {
	if _, ok := c.numbers[n]; !ok {
		return false
	}
	if c.pass == numberTargets {
		c.numbers[n] = c.next
		c.next++
	}
	return true
}

// ref codes a reference to a node of the same file.
func (c *coder) ref(n *ast.Node) {
	number := 0
	if c.reading {
		c.number(&number)
		switch number--; {
		case number < 0:
		case number < len(c.met):
			*n = c.met[number]
		default:
			c.waiting = append(c.waiting, reference{n, number})
		}
		return
	}
	if *n != nil {
		if c.pass == findTargets {
			c.numbers[*n] = -1
		}
		to := c.numbers[*n]
		if c.pass == write && to < 0 {
			c.fail("%v refers out of its file", (*n).Pos())
		}
		number = to + 1
	}
	c.number(&number)
}

// refs codes a list of references.
func refs[N ast.Node](c *coder, l *[]N) {
	n := 0
	if *l != nil {
		n = len(*l) + 1
	}
	c.number(&n)
	if c.reading && n > 0 && n <= len(c.from) {
		*l = make([]N, n-1)
	}
	for i := range *l {
		to := ast.Node((*l)[i])
		if c.reading {
			to = nil
		}
		c.ref(&to)
		if c.reading && to != nil {
			(*l)[i] = to.(N)
		}
	}
}

// settle ends a file of a reader.
func (c *coder) settle() {
	for _, r := range c.waiting {
		if r.to >= len(c.met) {
			c.fail("damaged: a reference leads nowhere")
			return
		}
		*r.from = c.met[r.to]
	}
	c.met, c.waiting = c.met[:0], c.waiting[:0]
}
