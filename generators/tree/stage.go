package tree

import (
	"context"
	"errors"

	"github.com/gpugen/gpugen/schema/diag"
)

// carryOut stages the ops, writes the journal and applies it. A finding means
// that the old tree is whole, or says that it is not.
func (s *session) carryOut(ctx context.Context, ops []op) diag.List {
	if err := s.prepare(ctx, ops); err != nil {
		return diag.List{s.failure(errors.Join(err, sweep(s.root)), untouchedNote)}
	}
	a := newApplier(s.root, ops)
	if err := s.replace(ctx, a); err != nil {
		return diag.List{s.takeBack(a, err)}
	}
	if err := s.finish(a); err != nil {
		return diag.List{s.ioFinding(err, "the new tree is complete, but traces of writing it are left in "+metaDir)}
	}
	return nil
}

// prepare puts the new data, the old data and then the journal on the disk. The
// tree is untouched until it returns without an error.
func (s *session) prepare(ctx context.Context, ops []op) error {
	if err := makeDirs(s.root, stageDir+"/x", func(string) {}); err != nil {
		return err
	}
	if err := makeDirs(s.root, undoDir+"/x", func(string) {}); err != nil {
		return err
	}
	var written []string
	for i, o := range ops {
		if err := errors.Join(cancelled(ctx), s.at("stage", o.Path)); err != nil {
			return err
		}
		if o.New != "" {
			if err := writeFile(s.root, staged(i), o.data); err != nil {
				return err
			}
			written = append(written, staged(i))
		}
		if o.Old != "" {
			if err := keepCopy(s.root, o.Path, undone(i)); err != nil {
				return err
			}
		}
	}
	if err := syncFiles(s.root, written); err != nil {
		return err
	}
	syncDirs(s.root, stageDir, undoDir, metaDir, ".")
	if err := errors.Join(cancelled(ctx), s.at("journal", journalPath)); err != nil {
		return err
	}
	return writeJournal(s.root, ops)
}

// replace brings the staged files into the tree, the inventory last.
func (s *session) replace(ctx context.Context, a *applier) error {
	for i, o := range a.ops {
		if err := errors.Join(s.at("apply", o.Path), cancelled(ctx), a.expect(i)); err != nil {
			return err
		}
		if err := a.do(i); err != nil {
			return err
		}
	}
	return nil
}

// takeBack restores the old tree after cause stopped replace.
func (s *session) takeBack(a *applier, cause error) diag.Finding {
	err := a.rollBack(func() error { return s.at("back", "") })
	if err == nil {
		err = dropJournal(s.root)
	}
	if err != nil {
		return s.finding(kindMixed, "", "%s: %s; %s", s.dir, oneLine(cause), oneLine(err))
	}
	if err := sweep(s.root); err != nil {
		return s.ioFinding(errors.Join(cause, err), restoredNote)
	}
	return s.failure(cause, restoredNote)
}

// finish ends a write whose files are all in place.
func (s *session) finish(a *applier) error {
	a.sync()
	if err := s.at("committed", journalPath); err != nil {
		return err
	}
	if err := dropJournal(s.root); err != nil {
		return err
	}
	return sweep(s.root)
}
