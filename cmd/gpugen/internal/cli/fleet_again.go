package cli

import (
	"context"
	"path/filepath"

	"github.com/gpugen/gpugen/generators/fleet"
	"github.com/gpugen/gpugen/generators/remembered"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/schema"
)

// fleetMemory is what earlier renders left to know about the clusters of a fleet. Where a
// cluster is rendered to, only its spec says, so that it is remembered by the spec.
type fleetMemory struct {
	store remembered.Store
	specs []string
	// seen are the specs as they were read; nil where nothing can be known of one.
	seen []*schema.Seen
}

func (f *findingFlags) fleetMemory(ctx context.Context, s streams, store func() (remembered.Store, bool), specs []string) fleetMemory {
	m := fleetMemory{specs: specs, seen: make([]*schema.Seen, len(specs))}
	var ok bool
	if m.store, ok = store(); !ok {
		return m
	}
	for i, spec := range specs {
		if seen, ok := schema.Digest(f.spec(ctx, s, []string{spec})); ok {
			m.seen[i] = seen
		}
	}
	return m
}

// place is what stands for a spec's tree in the store; it is no directory's name.
func (m fleetMemory) place(i int) string { return filepath.Join(m.specs[i], "\x00fleet") }

// verdicts are those that follow from what is remembered; the others are nil. holds looks
// at the tree.
func (m fleetMemory) verdicts(holds func(*outcome) bool) []*verdict {
	out := make([]*verdict, len(m.specs))
	for i, seen := range m.seen {
		if seen == nil {
			continue
		}
		r, ok := m.store.Get(m.place(i), seen.Digest)
		if !ok {
			continue
		}
		o := &outcome{
			Member:    fleet.Member{Spec: filepath.ToSlash(m.specs[i]), Name: r.Name, GitOps: r.GitOps, NameAt: r.NameAt, PathAt: r.At},
			Inventory: r.Inventory, ElsewhereWaived: r.ElsewhereWaived,
		}
		if holds(o) {
			out[i] = &verdict{Findings: r.Findings, Rendered: o}
		}
	}
	return out
}

// keep remembers the verdicts about specs that did not change meanwhile.
func (m fleetMemory) keep(verdicts []verdict) {
	for i, v := range verdicts {
		r := v.Rendered
		if m.seen[i] == nil || r == nil || r.Tree == nil || v.Findings.HasErrors() {
			continue
		}
		inventory, err := tree.InventoryHash(r.tree(), r.Meta)
		if err != nil {
			continue
		}
		if !m.seen[i].Unchanged() {
			continue
		}
		m.store.Put(m.place(i), m.seen[i].Digest, remembered.Render{
			Inventory: inventory, Findings: v.Findings, GitOps: r.GitOps, At: r.PathAt, Name: r.Name, NameAt: r.NameAt, ElsewhereWaived: r.ElsewhereWaived,
		})
	}
}

// judgeFleet is vetApart for what is not remembered.
func judgeFleet(ctx context.Context, s streams, flags []string, wanted string, m fleetMemory, holds func(*outcome) bool) ([]verdict, error) {
	known := m.verdicts(holds)
	var unknown []string
	for i, v := range known {
		if v == nil {
			unknown = append(unknown, m.specs[i])
		}
	}
	fresh, err := vetApart(ctx, s, flags, wanted, unknown)
	if err != nil {
		return nil, err
	}
	out := make([]verdict, len(known))
	for i, v := range known {
		if v != nil {
			out[i] = *v
			continue
		}
		out[i], fresh = fresh[0], fresh[1:]
	}
	return out, nil
}
