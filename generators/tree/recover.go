package tree

import (
	"errors"
	"io/fs"
	"os"

	"github.com/gpugen/gpugen/schema/diag"
)

// rollForward finishes what a killed run left unfinished: all the new data are
// staged, so the tree becomes the one that run meant to write. It returns
// findings if somebody changed files or data in between; nothing is touched
// then. With force, changed files are replaced, and what cannot be finished is
// given up: the returned paths then count as gpugen's own, the journal stays
// until the next one takes its place.
func (s *session) rollForward(force bool) (owned, diag.List) {
	ops, err := readJournal(s.root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil && force:
		return nil, nil
	case err != nil:
		return nil, diag.List{s.finding(kindUnfinished, journalPath, "the journal of an earlier run cannot be used: %v", err)}
	}
	todo, found := s.unfinished(ops, force)
	if found.HasErrors() {
		if force && !found.Fatal() {
			return ownedByJournal(ops), nil
		}
		return nil, found
	}
	a := newApplier(s.root, ops)
	for i, o := range ops {
		err := s.at("apply", o.Path)
		switch {
		case err != nil:
		case todo[i]:
			err = a.do(i)
		case o.New == "":
			a.removeEmptied(o.Path) // the killed run may not have come to it
		}
		if err != nil {
			return nil, diag.List{s.finding(kindUnfinished, o.Path, "finishing what an earlier run began: %v", err)}
		}
	}
	if err := s.finish(a); err != nil {
		return nil, diag.List{s.ioFinding(err, "the tree of an earlier run is complete")}
	}
	return nil, nil
}

// unfinished returns the numbers of the ops that are still to do, or a finding for each
// that cannot be done without losing what somebody did since.
func (s *session) unfinished(ops []op, force bool) (todo map[int]bool, found diag.List) {
	todo = map[int]bool{}
	for i, o := range ops {
		now, err := look(s.root, o.Path)
		if err != nil {
			return nil, diag.List{s.ioFinding(err, "an earlier run is still unfinished")}
		}
		done := now.kind == regular && now.hash == o.New
		if o.New == "" {
			// Whatever else came to the path belongs to somebody.
			done = now.kind == absent || now.kind == underFile || now.kind == directory
		}
		switch {
		case done:
			continue
		case now.kind == link || now.kind == special:
			found.Add(s.blocked(o.Path, now))
			continue
		case now.kind == regular && now.hash != o.Old && !force:
			found.Add(s.finding(kindEdited, o.Path, "%s was changed since an earlier run was killed while it replaced files", o.Path))
			continue
		}
		if o.New != "" {
			data, err := look(s.root, staged(i))
			if err != nil {
				return nil, diag.List{s.ioFinding(err, "an earlier run is still unfinished")}
			}
			if data.kind != regular || data.hash != o.New {
				found.Add(s.finding(kindUnfinished, o.Path, "an earlier run was killed before it wrote %s, and its data are not in %s any more", o.Path, staged(i)))
				continue
			}
		}
		todo[i] = true
	}
	return todo, found
}

// ownedByJournal are the files that a killed run may have put in place.
func ownedByJournal(ops []op) owned {
	o := owned{}
	for _, op := range ops {
		if op.New != "" && op.Path != inventoryPath {
			o.add(op.Path, op.New)
		}
	}
	return o
}

// pending returns a finding if a journal lies in the directory, and the files
// that it counts as gpugen's own.
func (s *session) pending() (owned, diag.List) {
	ops, err := readJournal(s.root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, diag.List{s.finding(kindUnfinished, journalPath, "the journal of an earlier run cannot be used: %v", err)}
	}
	todo, _ := s.unfinished(ops, true)
	return ownedByJournal(ops), diag.List{s.finding(kindPending, journalPath, "an earlier run is unfinished: %d of %d files are still to be replaced", len(todo), len(ops))}
}

// inventoryOf reads the old inventory; a directory without one has an empty one. One
// of a newer release than version is a *newerError, beside what could be read.
func inventoryOf(root *os.Root, version string) (Inventory, error) {
	inv, err := readInventory(root)
	if errors.Is(err, fs.ErrNotExist) {
		return Inventory{}, nil
	}
	var newer *newerError
	switch {
	case errors.As(err, &newer):
		newer.mine = version
	case err == nil && olderRelease(version, inv.Version):
		err = &newerError{tree: inv.Version, mine: version}
	}
	return inv, err
}
