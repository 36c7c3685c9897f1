package knowledge

import (
	"reflect"
	"testing"

	"cuelang.org/go/cue"
)

// The prepared form is the syntax of the sources: every node, every position, and
// what every identifier refers to.
func TestThePreparedFormIsTheSyntaxOfTheSources(t *testing.T) {
	data, err := Prepare()
	if err != nil {
		t.Fatal(err)
	}
	got := readPrepared(data)
	if got == nil {
		t.Fatal("it is not read")
	}
	want, err := Parse()
	if err != nil {
		t.Fatal(err)
	}
	for name, inst := range want.Packages {
		if len(inst.Files) == 0 || len(inst.Files) != len(got.Packages[name].Files) {
			t.Fatalf("%s has %d files, want %d", name, len(got.Packages[name].Files), len(inst.Files))
		}
		for i, f := range inst.Files {
			if !reflect.DeepEqual(got.Packages[name].Files[i], f) {
				t.Errorf("%s differs", f.Filename)
			}
		}
	}
	e, err := got.Compile()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		x := e.Explain(r.ID, e.Rules().LookupPath(cue.MakePath(cue.Str("rules"), cue.Str(r.ID))))
		if !e.HasRule(r.ID) || x.Title != r.Title || x.Why != r.Why || x.Fix != r.Fix || x.Source != r.Source {
			t.Errorf("%s is explained by %+v", r.ID, x)
		}
		if len(r.Bad) == 0 {
			t.Errorf("%s has no example in the catalogue", r.ID)
		}
	}
}

func TestAPreparedFormOfOtherSourcesIsNotTaken(t *testing.T) {
	data, err := Prepare()
	if err != nil {
		t.Fatal(err)
	}
	other := append([]byte{}, data...)
	other[0]++
	for name, bad := range map[string][]byte{"none": nil, "other sources": other, "cut off": data[:len(data)/2]} {
		if readPrepared(bad) != nil {
			t.Errorf("%s: it is taken", name)
		}
	}
}
