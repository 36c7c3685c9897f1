package knowledge

import (
	"bytes"
	"reflect"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
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
	if len(got.waiting) < 100 {
		t.Errorf("%d rules wait until a spec needs them", len(got.waiting))
	}
	for name, inst := range want.Packages {
		files := map[string]*ast.File{}
		all := got.Packages[name].Files
		if name == RulesPackage {
			all = got.rulesFor(nil).Files
		}
		for _, f := range all {
			files[f.Filename] = f
		}
		if len(inst.Files) == 0 || len(inst.Files) != len(files) {
			t.Fatalf("%s has %d files, want %d", name, len(files), len(inst.Files))
		}
		for _, f := range inst.Files {
			// Those are found when a package is complete, and rules that wait come later.
			f.Unresolved, files[f.Filename].Unresolved = nil, nil
			if !reflect.DeepEqual(files[f.Filename], f) {
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
	unknown := cueVersion
	defer func() { cueVersion = unknown }()
	cueVersion = func() string { return "v0.0.1" }
	if readPrepared(data) != nil {
		t.Error("another version of CUE: it is taken")
	}
	cueVersion = unknown
	for name, bad := range map[string][]byte{"none": nil, "other sources": other, "cut off": data[:len(data)/2]} {
		if readPrepared(bad) != nil {
			t.Errorf("%s: it is taken", name)
		}
	}
}

// Tests evaluate what a build does, not what would be parsed instead.
func TestATestTakesThePreparedFormOfItsSources(t *testing.T) {
	data, err := built.ReadFile(PreparedFile)
	if err != nil || !bytes.HasPrefix(data, fingerprint()) {
		t.Skip("there is none of these sources: go run ./schema/knowledge/prepare")
	}
	if preparedOnce() == nil {
		t.Error("it is not taken")
	}
}
