package generators_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/spectest"
)

// No field is silent: whatever a base says, something else there gives another tree
// or another finding. Each field of the schema is in some base. A field that only
// findings tell of is marked with @fact() in the schema.
func TestNoFieldIsSilent(t *testing.T) {
	bases := fieldBases(t)
	var mu sync.Mutex
	changesTree := map[string]bool{}
	for _, c := range jointChanges(t) {
		changesTree[c.of(t)] = true
	}
	places, tried := 0, 0
	for _, b := range bases {
		if e := b.effect(); e.refused || len(e.files) == 0 {
			t.Fatalf("testdata/fields/%s.yaml does not render: %v", b.name, slices.Sorted(maps.Keys(e.findings)))
		}
	}
	t.Run("fields", func(t *testing.T) {
		for _, f := range spectest.Fields(t) {
			said := false
			for _, b := range bases {
				for _, p := range placesOf(b.spec, f.Path, nil) {
					said = true
					places++
					at := schema.PathString(p.path)
					if !sample.Draws("silent "+b.name+" "+at, 600) {
						continue
					}
					t.Run(b.name+"/"+at, func(t *testing.T) {
						tried++
						t.Parallel()
						tree := b.notSilent(t, f, p)
						mu.Lock()
						changesTree[f.Name()] = changesTree[f.Name()] || tree
						mu.Unlock()
					})
				}
			}
			if !said {
				t.Errorf("no spec in testdata/fields says anything of %s", f.Name())
			}
		}
	})
	if tried < places {
		return
	}
	for _, f := range spectest.Fields(t) {
		switch tree := changesTree[f.Name()]; {
		case f.Fact && tree:
			t.Errorf("%s is marked with @fact(), but another value gives another tree", f.Name())
		case !f.Fact && !f.ForReaders && !tree:
			t.Errorf("%s changes no tree: mark it with @fact() if it is for rules only, or let a base spec be one in which it does, or say in fields_jointly.yaml what changes with it", f.Name())
		}
	}
}

// Fields whose other values contradict the rest of a base make another tree together
// with what goes with them, and count there as well.
func TestFieldsThatChangeJointlyChangeTheTree(t *testing.T) {
	bases := fieldBases(t)
	for _, c := range jointChanges(t) {
		if !sample.Draws("jointly "+c.Field, 5) {
			continue
		}
		t.Run(c.Field, func(t *testing.T) {
			t.Parallel()
			b := bases[slices.IndexFunc(bases, func(b base) bool { return b.name == c.Base })]
			path := spectest.Elements(c.Field)
			changed := overlaid(b.spec, c.Change).(map[string]any)
			after := effectOf(changed)
			if after.refused || len(after.files) == 0 || maps.Equal(after.files, b.effect().files) {
				t.Fatalf("no other tree: %v", slices.Sorted(maps.Keys(after.findings)))
			}
			without := effectOf(with(changed, path, valueAt(t, b.spec, path)).(map[string]any))
			if maps.Equal(without.files, after.files) && maps.Equal(without.findings, after.findings) {
				t.Errorf("the rest of the change gives the same tree and findings")
			}
		})
	}
}

// notSilent checks that other values at a place make a difference, and tells whether
// any gave another tree.
func (b base) notSilent(t *testing.T, f spectest.Field, p place) (tree bool) {
	before := b.effect()
	values, each := others(f, p.value)
	tried, noticed := 0, false
	var silent []any
	for _, v := range values {
		after := effectOf(with(b.spec, p.path, v).(map[string]any))
		if after.refused {
			continue
		}
		tried++
		other := len(after.files) > 0 && !maps.Equal(before.files, after.files)
		tree = tree || other
		if other || !maps.Equal(before.findings, after.findings) {
			noticed = true
			if !each && other {
				break
			}
		} else {
			silent = append(silent, v)
		}
	}
	switch {
	case f.ForReaders && noticed:
		t.Errorf("it is marked with @readers(), but %v makes a difference", values)
	case f.ForReaders:
	case tried == 0:
		t.Errorf("%v can be nothing else: nothing was tried of %v", p.value, values)
	case !noticed:
		t.Errorf("%v is ignored: %v give the same tree and findings", p.value, silent)
	case each && len(silent) > 0:
		t.Errorf("%v is not told from %v", p.value, silent)
	}
	return tree
}
