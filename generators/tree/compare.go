package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// Compare says what Write would do to the directory, and writes nothing, not even
// a lock. Each file that is missing, out of date, left over, changed by hand or in
// the way is an error finding; so is a run that was killed half way. A guarded
// thing that the new tree lacks is a warning.
func Compare(dir string, t *Tree, m Meta) (Changes, diag.List) {
	dir = filepath.Clean(dir)
	p := place{dir: dir}
	want, found := newProduct(p, t, m)
	if len(found) > 0 {
		return Changes{}, found
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		var c Changes
		for _, f := range want.files {
			c.Created = append(c.Created, f.Path)
		}
		c.Created = append(c.Created, inventoryPath)
		return c, diag.List{p.finding(kindMissing, "", "%s does not exist", dir)}
	case err == nil && !info.IsDir():
		return Changes{}, diag.List{p.finding(kindInTheWay, "", "%s is not a directory", dir)}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Changes{}, diag.List{p.ioFinding(err, unknownNote)}
	}
	defer root.Close()
	s := &session{place: p, root: root}
	return s.compare(want)
}

func (s *session) compare(want product) (Changes, diag.List) {
	if found := s.checkMetaDir(); len(found) > 0 {
		return Changes{}, found
	}
	ours, found := s.pending()
	old, err := inventoryOf(s.root, want.meta.Version)
	if err != nil {
		found.Add(s.unusable(err))
		return Changes{}, found.Sorted()
	}
	known := ownedBy(old)
	known.join(ours)
	entries, err := makePlan(s.root, want.files, known, false)
	if err != nil {
		return Changes{}, diag.List{s.ioFinding(err, unknownNote)}
	}
	verdict, before, err := inventoryVerdict(s.root, want.inventory)
	if err != nil {
		return Changes{}, diag.List{s.ioFinding(err, unknownNote)}
	}
	found = append(found, s.refusals(entries)...)
	for _, e := range entries {
		switch e.verdict {
		case create:
			found.Add(s.finding(kindMissing, e.path, "%s is missing", e.path))
		case update:
			found.Add(s.finding(kindDiffers, e.path, "%s is out of date", e.path))
		case remove:
			found.Add(s.finding(kindExtra, e.path, "%s is left over: nothing in the spec renders it now", e.path))
		}
	}
	switch verdict {
	case create:
		found.Add(s.finding(kindMissing, inventoryPath, "%s is missing", inventoryPath))
	case update:
		found.Add(s.finding(kindDiffers, inventoryPath, "%s is out of date: %s", inventoryPath, old.drift(newInventory(want.files, want.meta))))
	case blocked:
		found.Add(s.blocked(inventoryPath, before))
	}
	for _, f := range append(s.pruned(old, want.meta, nil), s.narrowed(old, want.meta, nil)...) {
		f.Severity = diag.Warning
		found.Add(f)
	}
	return entries.changes(verdict), found.Sorted()
}

// drift names what differs between the inventory on disk and the one to be.
func (inv Inventory) drift(now Inventory) string {
	var out []string
	compare := func(name string, before, after any) {
		if fmt.Sprint(before) != fmt.Sprint(after) {
			out = append(out, name)
		}
	}
	compare(fmt.Sprintf("gpugen's version (%s, now %s)", inv.Version, now.Version), inv.Version, now.Version)
	compare(fmt.Sprintf("the cluster (%s, now %s)", inv.Cluster, now.Cluster), inv.Cluster, now.Cluster)
	compare("what the site knows", inv.Site, now.Site)
	compare("the vendored charts", inv.Charts, now.Charts)
	compare("what is guarded", inv.Guarded, now.Guarded)
	compare("what the AppProject allows", inv.Project.all(), now.Project.all())
	compare("the files", inv.Files, now.Files)
	if len(out) == 0 {
		return "git merged it"
	}
	return strings.Join(out, ", ") + " changed"
}
