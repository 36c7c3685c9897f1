package source

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/gpugen/gpugen/schema/diag"
)

// File is one file as the user wrote it.
type File struct {
	// Name is as the user would type it; positions have it.
	Name string
	Data []byte
	// path is absolute and free of links; empty for standard input.
	path string
	// lines holds the offset of the first byte of each line.
	lines []int
	// used says that the file is part of the spec, not only looked at.
	used bool
}

func newFile(name, path string, data []byte) *File {
	f := &File{Name: name, Data: data, path: path, lines: []int{0}}
	for i, b := range data {
		if b == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Position makes the place of data[start:end]; end is cut at the line's end.
func (f *File) Position(start, end int) diag.Position {
	start = min(max(start, 0), len(f.Data))
	line := sort.SearchInts(f.lines, start+1) - 1
	return f.onLine(line, start-f.lines[line], end-f.lines[line])
}

// onLine makes a place from a line counted from 0 and byte offsets in it.
func (f *File) onLine(line, start, end int) diag.Position {
	text := f.line(line)
	bom := 0
	if line == 0 && strings.HasPrefix(text, "\uFEFF") {
		bom = len("\uFEFF")
		text = text[bom:]
	}
	start = min(max(start-bom, 0), len(text))
	end = min(max(end-bom, start), len(text))
	column := utf8.RuneCountInString(text[:start]) + 1
	return diag.Position{
		File:      f.Name,
		Line:      line + 1,
		Column:    column,
		EndColumn: max(column+1, column+utf8.RuneCountInString(text[start:end])),
		Text:      text,
	}
}

// Start is the first place of the file.
func (f *File) Start() diag.Position {
	p := f.onLine(0, 0, 0)
	p.EndColumn = 0
	return p
}

// line returns a line without its end.
func (f *File) line(n int) string {
	if n < 0 || n >= len(f.lines) {
		return ""
	}
	line := f.Data[f.lines[n]:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	return strings.TrimSuffix(string(line), "\r")
}

// offset turns a line and a column in code points, both from 1, into an offset.
func (f *File) offset(line, column int) int {
	if line < 1 || line > len(f.lines) {
		return len(f.Data)
	}
	at := f.lines[line-1]
	if line == 1 && bytes.HasPrefix(f.Data, []byte("\uFEFF")) {
		at = len("\uFEFF")
	}
	for i := 1; i < column && at < len(f.Data) && f.Data[at] != '\n'; i++ {
		_, size := utf8.DecodeRune(f.Data[at:])
		at += size
	}
	return at
}

// invalidUTF8 is the place of the first byte that is not text; the line itself
// is not shown.
func (f *File) invalidUTF8() diag.Position {
	at := 0
	for at < len(f.Data) {
		r, size := utf8.DecodeRune(f.Data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	p := f.Position(at, at)
	p.Text = ""
	return p
}
