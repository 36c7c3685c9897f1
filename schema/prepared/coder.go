package prepared

import (
	"encoding/binary"
	"fmt"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// coder writes syntax, or reads it: what nodes consist of is said once for both, in
// nodes.go.
type coder struct {
	reading bool
	// data are the numbers that are written, from those that are read, and text holds all strings.
	data []byte
	from string
	at   int
	text string
	err  error

	// file that positions are in, and the offset of the one before.
	file *token.File
	last int

	targets
	texts
	slabs
}

// fail keeps the first error.
func (c *coder) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// number codes a number that is not negative.
func (c *coder) number(n *int) {
	if !c.reading {
		c.data = binary.AppendUvarint(c.data, uint64(*n))
		return
	}
	*n = c.readNumber()
}

// readNumber reads a number as binary.Uvarint does; most are of one byte.
func (c *coder) readNumber() int {
	v, shift := 0, 0
	for c.at < len(c.from) && shift < 64 {
		b := c.from[c.at]
		c.at++
		v |= int(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
		shift += 7
	}
	c.fail("damaged at byte %d", c.at)
	c.at = len(c.from)
	return 0
}

// string codes a string, as its place in the text.
func (c *coder) string(s *string) {
	var start, size int
	if !c.reading {
		start, size = c.place(*s), len(*s)
	}
	c.number(&size)
	if size == 0 {
		return
	}
	c.number(&start)
	if !c.reading {
		return
	}
	if start < 0 || size < 0 || start > len(c.text)-size {
		c.fail("damaged: text ends at %d", len(c.text))
		return
	}
	*s = c.text[start : start+size]
}

func (c *coder) bool(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	c.number(&n)
	*b = n == 1
}

func (c *coder) token(t *token.Token) {
	n := int(*t)
	c.number(&n)
	*t = token.Token(n)
}

// Kinds of positions; the others are in a file.
const (
	nowhere = iota
	onlyRelative
	inFile
)

// What a position says besides where it is: the space before it, and two marks for
// those who format.
const (
	spaces  = 1 << 4
	comma   = 1 << 4
	scanned = 1 << 5
	marks   = 1 << 6
)

// pos codes a position as the distance from the one before.
func (c *coder) pos(p *token.Pos) {
	if c.reading {
		c.readPos(p)
		return
	}
	n := nowhere
	switch {
	case p.HasAbsPos():
		if p.File() != c.file {
			c.fail("%v is in another file than %s", p.Position(), c.file.Name())
			return
		}
		distance := p.Offset() - c.last
		c.last = p.Offset()
		n = int(p.RelPos())
		if p.HasComma() {
			n |= comma
		}
		if p.Scanned() {
			n |= scanned
		}
		n += inFile + marks*((distance<<1)^(distance>>63))
	case *p != token.NoPos:
		n = onlyRelative
		c.number(&n)
		n = int(p.RelPos())
	}
	c.number(&n)
}

func (c *coder) readPos(p *token.Pos) {
	switch n := c.readNumber(); n {
	case nowhere:
	case onlyRelative:
		*p = token.RelPos(c.readNumber()).Pos()
	default:
		n -= inFile
		distance := n / marks
		c.last += (distance >> 1) ^ -(distance & 1)
		*p = c.file.Pos(c.last, token.RelPos(n%spaces)).WithComma(n&comma != 0).WithScanned(n&scanned != 0)
	}
}

// list codes a list; one that is nil stays so.
func list[N ast.Node](c *coder, l *[]N) {
	n := 0
	if *l != nil {
		n = len(*l) + 1
	}
	c.number(&n)
	if c.reading && n > 0 && n <= len(c.from) {
		*l = make([]N, n-1)
	}
	for i := range *l {
		node(c, &(*l)[i])
	}
}
