package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// Options permit what Write refuses by itself.
type Options struct {
	// Force replaces files that gpugen did not write or that were changed since,
	// and an inventory that cannot be used. Links, and directories in the place
	// of files, are refused all the same.
	Force bool
	// AllowPrune names guarded things that may leave the tree.
	AllowPrune []string
}

// Write makes the directory dir hold the tree t, and nothing else that an
// earlier Write put there. It returns what it changed.
//
// After it returns, the directory holds the old tree whole (and there is an
// error finding) or the new tree whole; so too when ctx is cancelled. If the
// process is killed while files are being replaced, a journal says so, and the
// next Write finishes the work first. Files that are equal already are not
// touched, files of others neither: one in the way is a finding, and then
// nothing is written. A directory that did not exist appears by one rename.
func Write(ctx context.Context, dir string, t *Tree, m Meta, o Options) (Changes, diag.List) {
	return writer{}.write(ctx, dir, t, m, o)
}

// writer is Write with what tests need to look inside.
type writer struct {
	// step is called before each step; its error makes the step fail.
	step func(point, path string) error
	// lockFile locks as on a file system that cannot lock directories.
	lockFile bool
}

// session is one look at or write to a directory.
type session struct {
	place
	writer
	root *os.Root
}

// at tells a test where the session is.
func (w writer) at(point, path string) error {
	if w.step == nil {
		return nil
	}
	return w.step(point, path)
}

// product is what a write shall put into the directory.
type product struct {
	files     []File
	meta      Meta
	inventory []byte
}

func newProduct(p place, t *Tree, m Meta) (product, diag.List) {
	if found := p.checkTree(t); len(found) > 0 {
		return product{}, found
	}
	files := t.Files()
	data, err := newInventory(files, m).encode()
	if err != nil {
		return product{}, diag.List{p.ioFinding(err, untouchedNote)}
	}
	return product{files: files, meta: m, inventory: data}, nil
}

func (w writer) write(ctx context.Context, dir string, t *Tree, m Meta, o Options) (Changes, diag.List) {
	dir = filepath.Clean(dir)
	p := place{dir: dir}
	want, found := newProduct(p, t, m)
	if len(found) > 0 {
		return Changes{}, found
	}
	err := cancelled(ctx)
	if err != nil {
		return Changes{}, diag.List{p.failure(err, untouchedNote)}
	}
	for range 8 { // another run may create or replace the directory between two looks
		var info fs.FileInfo
		var changes Changes
		info, err = os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return Changes{}, diag.List{p.finding(kindInTheWay, "", "%s is not a directory", dir)}
		case err == nil:
			changes, found, err = w.update(ctx, p, want, o)
		case errors.Is(err, fs.ErrNotExist):
			if _, linkErr := os.Lstat(dir); linkErr == nil {
				return Changes{}, diag.List{p.finding(kindLink, "", "%s is a symbolic link to nowhere", dir)}
			}
			changes, found, err = w.create(ctx, p, want)
		}
		if err == nil {
			return changes, found
		}
		if !errors.Is(err, errMoved) {
			break
		}
	}
	return Changes{}, diag.List{p.failure(err, untouchedNote)}
}

// update writes into a directory that exists. Its error means that nothing was
// done: errMoved, errBusy or that the directory cannot be opened.
func (w writer) update(ctx context.Context, p place, want product, o Options) (Changes, diag.List, error) {
	lock, err := lockDir(p.dir, w.lockFile)
	if err != nil {
		return Changes{}, nil, err
	}
	defer lock.release()
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return Changes{}, nil, err
	}
	defer root.Close()
	w.sweepSibling(p.dir)

	s := &session{place: p, writer: w, root: root}
	if found := s.checkMetaDir(); len(found) > 0 {
		return Changes{}, found, nil
	}
	ours, found := s.rollForward(o.Force)
	if len(found) > 0 {
		return Changes{}, found, nil
	}
	ops, changes, found := s.decide(want, ours, o)
	if len(found) > 0 {
		return Changes{}, found, nil
	}
	// Only now: the data of an unfinished run are kept for as long as nothing is
	// known to replace them.
	if err := sweep(root); err != nil {
		return Changes{}, nil, err
	}
	if !changes.Any() {
		if err := dropJournal(root); err != nil {
			return Changes{}, nil, err
		}
		return changes, nil, nil
	}
	if found := s.carryOut(ctx, ops); len(found) > 0 {
		return Changes{}, found, nil
	}
	return changes, nil, nil
}

// checkMetaDir returns a finding if .gpugen is no directory, or the inventory or
// the journal no file.
func (s *session) checkMetaDir() diag.List {
	for _, p := range []string{inventoryPath, journalPath} {
		now, err := look(s.root, p)
		switch {
		case err != nil:
			return diag.List{s.ioFinding(err, untouchedNote)}
		case now.kind != absent && now.kind != regular:
			return diag.List{s.blocked(p, now)}
		}
	}
	return nil
}

// decide compares the directory with the product and says what to do, or all
// the reasons why not.
func (s *session) decide(want product, ours owned, o Options) ([]op, Changes, diag.List) {
	old, err := inventoryOf(s.root, want.meta.Version)
	if err != nil {
		if !o.Force {
			return nil, Changes{}, diag.List{s.unusable(err)}
		}
		old = Inventory{}
	}
	known := ownedBy(old)
	known.join(ours)
	entries, err := makePlan(s.root, want.files, known, o.Force)
	if err != nil {
		return nil, Changes{}, diag.List{s.ioFinding(err, untouchedNote)}
	}
	verdict, before, err := inventoryVerdict(s.root, want.inventory)
	if err != nil {
		return nil, Changes{}, diag.List{s.ioFinding(err, untouchedNote)}
	}
	found := s.refusals(entries)
	if verdict == blocked {
		found.Add(s.blocked(inventoryPath, before))
	}
	found = append(found, s.pruned(old, want.meta, o.AllowPrune)...)
	found = append(found, s.narrowed(old, want.meta, o.AllowPrune)...)
	last := op{Path: inventoryPath, Old: before.hash, New: hashOf(want.inventory), data: want.inventory, before: before.info}
	return makeOps(entries, last), entries.changes(verdict), found.Sorted()
}

const (
	untouchedNote = "nothing was changed"
	restoredNote  = "the old tree is back"
	unknownNote   = "what is there cannot be compared"
)

// failure turns an error of a step into its finding; outcome says what is on the
// disk now.
func (p place) failure(err error, outcome string) diag.Finding {
	var at *fs.PathError
	switch {
	case errors.Is(err, errBusy):
		return p.finding(kindBusy, "", "another gpugen is writing %s; %s", p.dir, outcome)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return p.finding(kindCancelled, "", "interrupted while writing %s; %s", p.dir, outcome)
	case errors.Is(err, errTouched) && errors.As(err, &at):
		return p.finding(kindEdited, filepath.ToSlash(at.Path), "%s %v; %s", at.Path, errTouched, outcome)
	}
	return p.ioFinding(err, outcome)
}

func (p place) ioFinding(err error, outcome string) diag.Finding {
	return p.finding(kindIO, "", "%s; %s", oneLine(err), outcome)
}

// oneLine is the text of an error that may have been joined from several.
func oneLine(err error) string {
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// cancelled is ctx's error with words of ours around it.
func cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("stopping: %w", err)
	}
	return nil
}
