package tree

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/gpugen/gpugen/schema/diag"
)

// verdict is what must happen to a path, or why it must not.
type verdict int

const (
	unchanged verdict = iota
	create
	update
	remove
	edited  // ours, but changed since
	foreign // not ours
	blocked // a link, or a directory and a file in each other's place
)

// entry is a path of the new tree or of the old one.
type entry struct {
	path    string
	data    []byte
	want    string // the new hash; "" if the path goes
	before  state
	verdict verdict
}

// plan is what a write would do, the paths sorted, the inventory not included.
type plan []entry

// owned maps paths to what gpugen itself gave them.
type owned map[string]claim

// claim is the hashes of what gpugen wrote to a path.
type claim struct {
	hashes []string
	// merged says that two branches of git changed the file: what git made of both is
	// nobody's work.
	merged bool
}

func (c claim) covers(hash string) bool { return c.merged || slices.Contains(c.hashes, hash) }

func (o owned) add(p string, hashes ...string) {
	c := o[p]
	c.hashes = append(c.hashes, hashes...)
	o[p] = c
}

func ownedBy(inv Inventory) owned {
	o := owned{}
	for p, hashes := range inv.Files {
		o[p] = claim{hashes: hashes, merged: len(hashes) > 1}
	}
	return o
}

// join adds what other claims.
func (o owned) join(other owned) {
	for p, c := range other {
		o.add(p, c.hashes...)
	}
}

// makePlan compares the files with what lies on the disk. With force, files of
// others and changed files are replaced; what blocks a path stays.
func makePlan(root *os.Root, files []File, ours owned, force bool) (plan, error) {
	wanted := make(map[string]bool, len(files))
	for _, f := range files {
		wanted[f.Path] = true
	}
	var out plan
	going := map[string]bool{}
	for _, p := range slices.Sorted(maps.Keys(ours)) {
		if wanted[p] {
			continue
		}
		e := entry{path: p}
		var err error
		if e.before, err = look(root, p); err != nil {
			return nil, err
		}
		switch {
		case e.before.kind == link:
			e.verdict = blocked
		case e.before.kind != regular:
			continue // the file is gone already
		case force || ours[p].covers(e.before.hash):
			e.verdict = remove
			going[p] = true
		default:
			e.verdict = edited
		}
		out = append(out, e)
	}
	for _, f := range files {
		e := entry{path: f.Path, data: f.Data, want: hashOf(f.Data)}
		var err error
		if e.before, err = look(root, f.Path); err != nil {
			return nil, err
		}
		if e.verdict, err = judge(root, e, ours, going, force && !f.Yields); err != nil {
			return nil, err
		}
		if f.Yields && e.verdict > remove {
			e.verdict = unchanged
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Compare(a.path, b.path) })
	return out, nil
}

func judge(root *os.Root, e entry, ours owned, going map[string]bool, force bool) (verdict, error) {
	switch e.before.kind {
	case absent:
		return create, nil
	case regular:
		switch {
		case e.before.hash == e.want:
			return unchanged, nil
		case force || ours[e.path].covers(e.before.hash):
			return update, nil
		case len(ours[e.path].hashes) > 0:
			return edited, nil
		}
		return foreign, nil
	case underFile:
		if going[e.before.at] {
			return create, nil
		}
	case directory:
		if empties, err := willBeEmpty(root, e.path, going); err != nil || empties {
			return create, err
		}
	}
	return blocked, nil
}

// willBeEmpty reports whether a directory and those in it hold only files that
// are going, so that removing these removes the directory.
func willBeEmpty(root *os.Root, dir string, going map[string]bool) (bool, error) {
	entries, err := fs.ReadDir(root.FS(), dir)
	if err != nil || len(entries) == 0 {
		return false, err
	}
	for _, e := range entries {
		p := path.Join(dir, e.Name())
		if e.IsDir() {
			if ok, err := willBeEmpty(root, p, going); !ok || err != nil {
				return false, err
			}
		} else if !going[p] {
			return false, nil
		}
	}
	return true, nil
}

// refusals returns a finding for each path that must not be touched.
func (p place) refusals(entries plan) diag.List {
	var found diag.List
	for _, e := range entries {
		switch e.verdict {
		case edited:
			found.Add(p.finding(kindEdited, e.path, "%s was changed since gpugen wrote it", e.path))
		case foreign:
			found.Add(p.finding(kindForeign, e.path, "%s is there already, and gpugen did not write it", e.path))
		case blocked:
			found.Add(p.blocked(e.path, e.before))
		}
	}
	return found
}

// blocked is the finding about what lies where file belongs, or above it.
func (p place) blocked(file string, s state) diag.Finding {
	switch s.kind {
	case link:
		return p.finding(kindLink, s.at, "%s is a symbolic link, on the way to %s", s.at, file)
	case underFile:
		return p.finding(kindInTheWay, s.at, "%s is no directory, but %s belongs into it", s.at, file)
	case directory:
		return p.finding(kindInTheWay, s.at, "%s is a directory, but a file of that name belongs there", s.at)
	}
	return p.finding(kindInTheWay, s.at, "%s is neither file nor directory", s.at)
}

// changes lists what the plan would do, the inventory's own change included.
func (entries plan) changes(inventory verdict) Changes {
	var c Changes
	for _, e := range append(slices.Clone(entries), entry{path: inventoryPath, verdict: inventory}) {
		switch e.verdict {
		case create:
			c.Created = append(c.Created, e.path)
		case update:
			c.Updated = append(c.Updated, e.path)
		case remove:
			c.Deleted = append(c.Deleted, e.path)
		case edited, foreign, blocked:
			// Compare meets these: a write would have to replace or remove them.
			if e.want == "" {
				c.Deleted = append(c.Deleted, e.path)
			} else {
				c.Updated = append(c.Updated, e.path)
			}
		case unchanged:
			c.Unchanged = append(c.Unchanged, e.path)
		}
	}
	for _, list := range [][]string{c.Created, c.Updated, c.Deleted, c.Unchanged} {
		slices.Sort(list)
	}
	return c
}

// inventoryVerdict compares the inventory on disk with the bytes it shall have.
func inventoryVerdict(root *os.Root, want []byte) (verdict, state, error) {
	s, err := look(root, inventoryPath)
	switch {
	case err != nil:
		return blocked, s, err
	case s.kind == absent:
		return create, s, nil
	case s.kind != regular:
		return blocked, s, nil
	case s.hash == hashOf(want):
		return unchanged, s, nil
	}
	return update, s, nil
}
