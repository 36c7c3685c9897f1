package tree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/schema/diag"
)

// files is a tree for a test: path to content.
type files map[string]string

func (f files) tree() *Tree {
	t := &Tree{}
	for p, data := range f {
		t.Add(p, []byte(data))
	}
	return t
}

var meta = Meta{Cluster: "research", Version: "1.2.3", Guarded: []Guarded{
	{Kind: "Cluster", Name: "research", Prunes: "every Application named research-*"},
	{Kind: "Namespace", Name: "gpu-operator", Prunes: "the namespace and all in it"},
}}

// mustWrite writes f and fails the test on any finding.
func mustWrite(t *testing.T, dir string, f files) Changes {
	t.Helper()
	c, found := Write(context.Background(), dir, f.tree(), meta, Options{})
	if len(found) > 0 {
		t.Fatalf("write: %v", texts(found))
	}
	return c
}

// put writes a file as a person would.
func put(t *testing.T, dir, p, data string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(p))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// contents maps each file below dir to its content, links to "-> target" and
// empty directories (with a slash) to nothing. The inventory is left out.
func contents(t *testing.T, dir string) files {
	t.Helper()
	got := files{}
	walk(t, dir, func(p string, info fs.FileInfo) {
		name := filepath.Join(dir, filepath.FromSlash(p))
		switch {
		case p == inventoryPath, p == metaDir:
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				t.Fatal(err)
			}
			got[p] = "-> " + target
		case info.IsDir():
			if entries, err := os.ReadDir(name); err != nil || len(entries) == 0 {
				got[p+"/"] = ""
			}
		default:
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got[p] = string(data)
		}
	})
	return got
}

// everything describes each file and directory below dir, with mode and hash, and
// files with their time.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	walk(t, dir, func(p string, info fs.FileInfo) {
		got[p] = info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(data)
			got[p] += " " + info.ModTime().Format(time.RFC3339Nano) + " " + hex.EncodeToString(sum[:])
		}
	})
	return got
}

func walk(t *testing.T, dir string, visit func(p string, info fs.FileInfo)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		p, err := filepath.Rel(dir, name)
		visit(filepath.ToSlash(p), info)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func wantSame[M ~map[string]string](t *testing.T, what string, got, want M) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	var diff []string
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if v, ok := got[k]; !ok {
			diff = append(diff, "missing "+k)
		} else if v != want[k] {
			diff = append(diff, fmt.Sprintf("%s is %q, want %q", k, v, want[k]))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[k]; !ok {
			diff = append(diff, "extra "+k)
		}
	}
	t.Errorf("%s:\n  %s", what, strings.Join(diff, "\n  "))
}

// texts renders findings as "ID file: message" with the directory's name cut off.
func texts(found diag.List) []string {
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%s %s: %s", f.ID, filepath.Base(f.Position.File), f.Message))
	}
	return out
}

// wantFindings checks "ID path" of each finding, the path relative to dir.
func wantFindings(t *testing.T, dir string, found diag.List, want ...string) {
	t.Helper()
	var got []string
	for _, f := range found {
		p, err := filepath.Rel(dir, filepath.FromSlash(f.Position.File))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f.ID+" "+filepath.ToSlash(p))
		emitted.Store(f.ID, true)
		checkForm(t, f)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("findings are\n  %s\nwant\n  %s", strings.Join(texts(found), "\n  "), strings.Join(want, "\n  "))
	}
}

// checkForm holds the form that all messages share.
func checkForm(t *testing.T, f diag.Finding) {
	t.Helper()
	if f.Why == "" || f.Fix == "" || f.Severity == "" {
		t.Errorf("%s says no why, fix or severity: %+v", f.ID, f)
	}
	if strings.HasSuffix(f.Message, ".") || strings.Contains(f.Message, "\n") {
		t.Errorf("%s has a full stop or a line break: %q", f.ID, f.Message)
	}
}

func ids(found diag.List) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.ID)
		emitted.Store(f.ID, true)
	}
	return out
}
