package tree

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// inventoryFormat is the version of the inventory's layout. It may only grow; a reader
// refuses what is newer than itself.
const inventoryFormat = 2

const aboutInventory = "What gpugen wrote, one thing a line, so that git can merge it. " +
	"If git shows a conflict here, leave it as it is and run gpugen render: it goes on from both sides."

// line is one line of the inventory, of which just one thing is set. Each stands for
// itself: whatever lines git puts together from two branches, they can be read.
type line struct {
	// Format, Gpugen and About are the first line's. Every release must be able to read
	// Format and Gpugen of any later one.
	Format int    `json:"format,omitempty"`
	Gpugen string `json:"gpugen,omitempty"`
	About  string `json:"about,omitempty"`

	Cluster string `json:"cluster,omitempty"`
	Site    string `json:"site,omitempty"`

	// Project is the AppProject, and the Needs beside it what the spec allows besides.
	Project  string `json:"project,omitempty"`
	Cascades bool   `json:"cascades,omitempty"`
	// NeededBy is the component that the Needs beside it are of.
	NeededBy string `json:"neededBy,omitempty"`
	Needs

	Chart string `json:"chart,omitempty"`
	File  string `json:"file,omitempty"`
	// Hash is that of Chart or File.
	Hash string `json:"hash,omitempty"`

	Guarded *Guarded `json:"guarded,omitempty"`

	// End is the last line's, which has no comma behind it and never changes.
	End bool `json:"end,omitempty"`
}

// lines are the inventory line by line: the first one, the others sorted by what they
// are about, the last one.
func (inv Inventory) lines() []line {
	out := []line{{Format: inventoryFormat, Gpugen: inv.Version, About: aboutInventory}}
	if inv.Cluster != "" {
		out = append(out, line{Cluster: inv.Cluster})
	}
	if inv.Site != "" {
		out = append(out, line{Site: inv.Site})
	}
	for _, name := range slices.Sorted(maps.Keys(inv.Charts)) {
		out = append(out, line{Chart: name, Hash: inv.Charts[name]})
	}
	if p := inv.Project; p != nil {
		out = append(out, line{Project: p.Name, Cascades: p.Cascades, Needs: p.Also})
		for _, name := range slices.Sorted(maps.Keys(p.Needs)) {
			out = append(out, line{NeededBy: name, Needs: p.Needs[name]})
		}
	}
	for _, g := range inv.Guarded {
		out = append(out, line{Guarded: &g})
	}
	for _, path := range slices.Sorted(maps.Keys(inv.Files)) {
		for _, hash := range inv.Files[path] {
			out = append(out, line{File: path, Hash: hash})
		}
	}
	return append(out, line{End: true})
}

// encode gives the inventory as it lies on disk: a JSON list, an element a line.
func (inv Inventory) encode() ([]byte, error) {
	b := bytes.NewBufferString("[\n")
	for i, l := range inv.lines() {
		if i > 0 {
			b.WriteString(",\n")
		}
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		if err := e.Encode(l); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1) // the line's end
	}
	b.WriteString("\n]\n")
	return b.Bytes(), nil
}

// conflictMark is what git writes around and between two versions of the same lines.
var conflictMark = regexp.MustCompile(`^(<{7}|\|{7}|={7}|>{7})( |$)`)

// parseInventory reads what encode wrote, and what git made of two such texts: the
// lines of both, or a conflict between them. A thing that both have is in the
// inventory once; a file, with the hashes of both.
func parseInventory(data []byte) (Inventory, error) {
	inv := Inventory{Charts: map[string]string{}, Files: map[string][]string{}}
	seen := line{}
	var bad error
	for text := range strings.Lines(string(data)) {
		text = strings.TrimSuffix(strings.TrimSpace(text), ",")
		if text == "" || text == "[" || text == "]" || conflictMark.MatchString(text) {
			continue
		}
		var l line
		if err := decode([]byte(text), &l); err != nil {
			bad = cmp.Or(bad, err)
			continue
		}
		seen.Format, seen.End = max(seen.Format, l.Format), seen.End || l.End
		if l.Format > 0 && olderRelease(seen.Gpugen, l.Gpugen) {
			seen.Gpugen = l.Gpugen
		}
		if !inv.take(l) && l.Format == 0 && !l.End {
			bad = cmp.Or(bad, fmt.Errorf("it has a line that says nothing: %.80s", text))
		}
	}
	switch {
	case seen.Format > inventoryFormat:
		return Inventory{}, &newerError{tree: seen.Gpugen}
	case bad != nil:
		return Inventory{}, bad
	case seen.Format == 0, !seen.End:
		return Inventory{}, errors.New("it is not whole")
	}
	inv.Version = seen.Gpugen
	inv.Guarded = sortedGuarded(inv.Guarded)
	return inv, nil
}

// take adds what a line says, if it says anything.
func (inv *Inventory) take(l line) bool {
	project := func() *Project {
		if inv.Project == nil {
			inv.Project = &Project{Needs: map[string]Needs{}}
		}
		return inv.Project
	}
	switch {
	case l.Cluster != "":
		inv.Cluster = l.Cluster
	case l.Site != "":
		inv.Site = l.Site
	case l.Chart != "":
		inv.Charts[l.Chart] = l.Hash
	case l.File != "":
		if !slices.Contains(inv.Files[l.File], l.Hash) {
			inv.Files[l.File] = append(inv.Files[l.File], l.Hash)
		}
	case l.Guarded != nil:
		inv.Guarded = append(inv.Guarded, *l.Guarded)
	case l.Project != "":
		p := project()
		p.Name, p.Cascades = l.Project, p.Cascades || l.Cascades
		p.Also = p.Also.joined(l.Needs)
	case l.NeededBy != "":
		project().Needs[l.NeededBy] = project().Needs[l.NeededBy].joined(l.Needs)
	default:
		return false
	}
	return true
}

// sortedGuarded is a list in its order, each thing once.
func sortedGuarded(of []Guarded) []Guarded {
	slices.SortFunc(of, func(a, b Guarded) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.In, b.In), cmp.Compare(a.Prunes, b.Prunes))
	})
	return slices.CompactFunc(of, func(a, b Guarded) bool { return a.Kind == b.Kind && a.Name == b.Name && a.In == b.In })
}

// newerError says that a newer release wrote a tree.
type newerError struct{ tree, mine string }

func (e *newerError) Error() string {
	return fmt.Sprintf("gpugen %s rendered the tree, and this is gpugen %s", e.tree, e.mine)
}
