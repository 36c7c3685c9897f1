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
	// text is Data; of lines of it no copies are made, since thousands of findings may
	// show the same long one.
	text string
	// ascii says that columns are bytes.
	ascii bool
	// lines holds the offset of the first byte of each line.
	lines []int
	// used says that the file is part of the spec, not only looked at.
	used bool
}

func newFile(name, path string, data []byte) *File {
	f := &File{Name: name, Data: data, path: path, text: string(data), ascii: true, lines: []int{0}}
	for i, b := range data {
		f.ascii = f.ascii && b < utf8.RuneSelf
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
	column := f.runes(text[:start]) + 1
	return diag.Position{
		File:      f.Name,
		Line:      line + 1,
		Column:    column,
		EndColumn: max(column+1, column+f.runes(text[start:end])),
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
	line := f.text[f.lines[n]:]
	if n+1 < len(f.lines) {
		line = f.text[f.lines[n] : f.lines[n+1]-1]
	}
	return strings.TrimSuffix(line, "\r")
}

// runes counts the code points of a part of the text.
func (f *File) runes(part string) int {
	if f.ascii {
		return len(part)
	}
	return utf8.RuneCountInString(part)
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
	if f.ascii {
		end := len(f.Data)
		if line < len(f.lines) {
			end = f.lines[line] - 1
		}
		return min(at+max(column-1, 0), end)
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
