package main

import (
	"fmt"
	"iter"
	"math/rand"
	"path"
	"strings"
)

// edit replaces bytes from start to end of a file.
type edit struct {
	start, end int
	text       string
	// kind says what is done, in words.
	kind string
}

// source is a file with all edits that can be made to it.
type source struct {
	// path is relative to the repository.
	path  string
	data  []byte
	edits []edit
}

// mutation is one edit of one file.
type mutation struct {
	*source
	edit
}

func (s *source) line(offset int) int { return 1 + strings.Count(string(s.data[:offset]), "\n") }

func (m mutation) String() string {
	return fmt.Sprintf("%s:%d: %s", m.path, m.line(m.start), m.kind)
}

// mutated is the file with the edit made.
func (m mutation) mutated() []byte {
	return []byte(string(m.data[:m.start]) + m.text + string(m.data[m.end:]))
}

// diff shows the lines that the edit changes.
func (m mutation) diff() string {
	from := strings.LastIndex(string(m.data[:m.start]), "\n") + 1
	to := len(m.data)
	if n := strings.Index(string(m.data[m.end:]), "\n"); n >= 0 {
		to = m.end + n
	}
	before := string(m.data[from:to])
	after := string(m.data[from:m.start]) + m.text + string(m.data[m.end:to])
	return prefixed("-", before) + prefixed("+", after)
}

func prefixed(mark, text string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > 300 {
			line = line[:300] + "..."
		}
		out.WriteString(mark + line + "\n")
	}
	return out.String()
}

// area is the part of gpugen that a file belongs to.
func (s *source) area() string {
	switch {
	case path.Ext(s.path) == ".go":
		return "go"
	case strings.HasPrefix(s.path, "templates/"):
		return "templates"
	case strings.HasPrefix(s.path, "schema/rules/"):
		return "rules"
	}
	return "facts"
}

// draw yields mutations in an order that the seed decides: one of each area in
// turn, so that none is drowned by the largest.
func draw(files []*source, seed int64) iter.Seq[mutation] {
	random := rand.New(rand.NewSource(seed))
	areas := map[string][]mutation{}
	order := []string{"go", "rules", "templates", "go", "rules", "templates", "facts"}
	for _, f := range files {
		for _, e := range f.edits {
			areas[f.area()] = append(areas[f.area()], mutation{f, e})
		}
	}
	for _, area := range []string{"go", "rules", "templates", "facts"} {
		of := areas[area]
		random.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	}
	return func(yield func(mutation) bool) {
		for left := true; left; {
			left = false
			for _, area := range order {
				if len(areas[area]) == 0 {
					continue
				}
				left = true
				next := areas[area][0]
				areas[area] = areas[area][1:]
				if !yield(next) {
					return
				}
			}
		}
	}
}
