package schema

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/gpugen/gpugen/schema/diag"
)

// source is one file as the user wrote it.
type source struct {
	// display is the name in positions, as the user would type it.
	display string
	// path is absolute and free of links; empty for standard input.
	path string
	data []byte
	// lines holds the offset of the first byte of each line.
	lines []int
	// used says that the file is part of the spec, not only looked at.
	used bool
}

func newSource(display, path string, data []byte) *source {
	s := &source{display: display, path: path, data: data, lines: []int{0}}
	for i, b := range data {
		if b == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// position makes the place of data[start:end]; end is cut at the line's end.
func (s *source) position(start, end int) diag.Position {
	start = min(max(start, 0), len(s.data))
	line := sort.SearchInts(s.lines, start+1) - 1
	return s.at(line, start-s.lines[line], end-s.lines[line])
}

// at makes a place from a line counted from 0 and byte offsets in it.
func (s *source) at(line, start, end int) diag.Position {
	text := s.line(line)
	bom := 0
	if line == 0 && strings.HasPrefix(text, "\uFEFF") {
		bom = len("\uFEFF")
		text = text[bom:]
	}
	start = min(max(start-bom, 0), len(text))
	end = min(max(end-bom, start), len(text))
	column := utf8.RuneCountInString(text[:start]) + 1
	return diag.Position{
		File:      s.display,
		Line:      line + 1,
		Column:    column,
		EndColumn: max(column+1, column+utf8.RuneCountInString(text[start:end])),
		Text:      text,
	}
}

// start is the first place of the file.
func (s *source) start() diag.Position {
	p := s.at(0, 0, 0)
	p.EndColumn = 0
	return p
}

// line returns a line without its end.
func (s *source) line(n int) string {
	if n < 0 || n >= len(s.lines) {
		return ""
	}
	line := s.data[s.lines[n]:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	return strings.TrimSuffix(string(line), "\r")
}

// offset turns a line and a column in code points, both from 1, into an offset.
func (s *source) offset(line, column int) int {
	if line < 1 || line > len(s.lines) {
		return len(s.data)
	}
	at := s.lines[line-1]
	if line == 1 && bytes.HasPrefix(s.data, []byte("\uFEFF")) {
		at = len("\uFEFF")
	}
	for i := 1; i < column && at < len(s.data) && s.data[at] != '\n'; i++ {
		_, size := utf8.DecodeRune(s.data[at:])
		at += size
	}
	return at
}

// place is where one label is written, and its value.
type place struct {
	src        *source
	start, end int
	// valueStart and valueEnd bound the value; equal where it is not one text.
	valueStart, valueEnd int
	// broken marks a field whose value was cut out because it cannot be compiled.
	broken bool
}

func (p place) position() diag.Position { return p.src.position(p.start, p.end) }

// value is the text of the value, if it fits on a line.
func (p place) value() string {
	v := strings.TrimSpace(string(p.src.data[p.valueStart:p.valueEnd]))
	if strings.Contains(v, "\n") {
		return ""
	}
	return v
}

// index says where the user wrote what: a tree of labels, each with its places.
type index struct {
	places []place
	fields map[string]*index
	items  []*index
}

func (x *index) field(name string) *index {
	if x.fields == nil {
		x.fields = map[string]*index{}
	}
	f := x.fields[name]
	if f == nil {
		f = &index{}
		x.fields[name] = f
	}
	return f
}

func (x *index) item(i int) *index {
	for len(x.items) <= i {
		x.items = append(x.items, &index{})
	}
	return x.items[i]
}

// lookup returns the entry at path, or nil.
func (x *index) lookup(path []any) *index {
	for _, e := range path {
		if x == nil {
			return nil
		}
		switch e := e.(type) {
		case string:
			x = x.fields[e]
		default:
			i, ok := asIndex(e)
			if !ok || i < 0 || i >= len(x.items) {
				return nil
			}
			x = x.items[i]
		}
	}
	return x
}

// sort puts places in the order of file names and offsets, so that the order in
// which files are read does not show.
func (x *index) sort() {
	slices.SortStableFunc(x.places, func(a, b place) int {
		if c := strings.Compare(a.src.display, b.src.display); c != 0 {
			return c
		}
		return a.start - b.start
	})
	for _, f := range x.fields {
		f.sort()
	}
	for _, i := range x.items {
		i.sort()
	}
}

// merge adds what another index of the same place records.
func (x *index) merge(y *index) {
	x.places = append(x.places, y.places...)
	for name, f := range y.fields {
		x.field(name).merge(f)
	}
	for i, item := range y.items {
		x.item(i).merge(item)
	}
}

func asIndex(e any) (int, bool) {
	switch e := e.(type) {
	case int:
		return e, true
	case int64:
		return int(e), true
	}
	return 0, false
}
