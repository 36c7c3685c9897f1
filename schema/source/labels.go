package source

import (
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// Label is one place where a label of the spec is written, and its value.
type Label struct {
	file       *File
	start, end int
	// valueStart and valueEnd bound the value; equal where it is not one text.
	valueStart, valueEnd int
	// Broken marks a field whose value was cut out because it cannot be compiled.
	Broken bool
}

// Position is the place of the label.
func (l Label) Position() diag.Position { return l.file.Position(l.start, l.end) }

// Value is the text of the value, if it fits on a line.
func (l Label) Value() string {
	v := strings.TrimSpace(string(l.file.Data[l.valueStart:l.valueEnd]))
	if strings.Contains(v, "\n") {
		return ""
	}
	return v
}

// labelTree says where the user wrote what: each label with all its places, and
// below it those of its value.
type labelTree struct {
	labels []Label
	fields map[string]*labelTree
	items  []*labelTree
}

func (x *labelTree) field(name string) *labelTree {
	if x.fields == nil {
		x.fields = map[string]*labelTree{}
	}
	f := x.fields[name]
	if f == nil {
		f = &labelTree{}
		x.fields[name] = f
	}
	return f
}

func (x *labelTree) item(i int) *labelTree {
	for len(x.items) <= i {
		x.items = append(x.items, &labelTree{})
	}
	return x.items[i]
}

// lookup returns the entry at path, or nil.
func (x *labelTree) lookup(path []any) *labelTree {
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

// sort puts labels in the order of file names and offsets, so that the order in
// which files are read does not show.
func (x *labelTree) sort() {
	slices.SortStableFunc(x.labels, func(a, b Label) int {
		if c := strings.Compare(a.file.Name, b.file.Name); c != 0 {
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

// merge adds what another tree of the same place records.
func (x *labelTree) merge(y *labelTree) {
	x.labels = append(x.labels, y.labels...)
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
