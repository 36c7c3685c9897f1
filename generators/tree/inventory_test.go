package tree

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gpugen/gpugen/schema/diag"
)

func inventoryIn(dir string) (Inventory, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Inventory{}, err
	}
	defer root.Close()
	return readInventory(root)
}

func TestInventoryHasTheSameBytesWhateverTheOrder(t *testing.T) {
	dir := t.TempDir()
	m := Meta{Cluster: "research", Version: "1.2.3", Charts: map[string]string{"z": "sha256:02", "a": "sha256:01"}, Guarded: []Guarded{
		{Kind: "Namespace", Name: "b", Prunes: "all in it & more"}, {Kind: "CRDOwner", Name: "c", Prunes: "x"}, {Kind: "Namespace", Name: "a", Prunes: "y"}, {Kind: "CRDOwner", Name: "c", Prunes: "x"},
	}}
	if _, found := Write(t.Context(), dir, files{"b": "1", "a/b": "2"}.tree(), m, Options{}); len(found) > 0 {
		t.Fatal(texts(found))
	}
	got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(inventoryPath)))
	if err != nil {
		t.Fatal(err)
	}
	want := `[
{"format":2,"gpugen":"1.2.3","about":"` + aboutInventory + `"},
{"cluster":"research"},
{"chart":"a","hash":"sha256:01"},
{"chart":"z","hash":"sha256:02"},
{"guarded":{"kind":"CRDOwner","name":"c","prunes":"x"}},
{"guarded":{"kind":"Namespace","name":"a","prunes":"y"}},
{"guarded":{"kind":"Namespace","name":"b","prunes":"all in it & more"}},
{"file":"a/b","hash":"sha256:d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35"},
{"file":"b","hash":"sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"},
{"end":true}
]
`
	if !json.Valid(got) {
		t.Error("the inventory is no JSON")
	}
	if string(got) != want {
		t.Errorf("inventory is\n%s\nwant\n%s", got, want)
	}
	slices.Reverse(m.Guarded)
	if c, found := Write(t.Context(), dir, files{"b": "1", "a/b": "2"}.tree(), m, Options{}); c.Any() || len(found) > 0 {
		t.Errorf("another order changes %+v, findings %q", c, texts(found))
	}
}

func TestReadInventory(t *testing.T) {
	dir := t.TempDir()
	if _, err := inventoryIn(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without an inventory the error is %v", err)
	}
	mustWrite(t, dir, newTree)
	inv, err := inventoryIn(dir)
	if err != nil || inv.Cluster != "research" || inv.Version != "1.2.3" || len(inv.Files) != len(newTree) || len(inv.Guarded) != 2 {
		t.Errorf("inventory is %+v (%v)", inv, err)
	}
}

func TestInventoryChangesAloneAreWritten(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, newTree)
	m := meta
	m.Version = "2.0.0"
	c, found := Write(t.Context(), dir, newTree.tree(), m, Options{})
	if len(found) > 0 || !slices.Equal(c.Updated, []string{inventoryPath}) || len(c.Created)+len(c.Deleted) > 0 {
		t.Errorf("changes are %+v, findings %q", c, texts(found))
	}
	if inv, err := inventoryIn(dir); err != nil || inv.Version != "2.0.0" {
		t.Errorf("inventory is %+v (%v)", inv, err)
	}
}

func TestEveryKindIsExplainedOnceInOrder(t *testing.T) {
	last := ""
	for _, kind := range Kinds {
		if kind.ID <= last {
			t.Errorf("%s follows %s", kind.ID, last)
		}
		last = kind.ID
		if kind.Title == "" || kind.Why == "" || kind.Fix == "" || kind.Severity != diag.Error {
			t.Errorf("%s says too little: %+v", kind.ID, kind)
		}
	}
}
