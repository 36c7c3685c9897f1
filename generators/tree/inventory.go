package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"

	"github.com/gpugen/gpugen/schema/diag"
)

// Guarded is a thing in the tree that must not vanish unasked: Argo CD would prune
// something dear, or leave it behind in nobody's hands.
type Guarded struct {
	// Kind is "Cluster", "Layout", "Namespace", "CRDOwner" or "Component".
	Kind string `json:"kind"`
	Name string `json:"name"`
	// In is the component that brings a Namespace. If that leaves as a whole, its own
	// entry says what becomes of both.
	In string `json:"in,omitempty"`
	// Prunes says what becomes of it in the cluster when it leaves the tree.
	Prunes string `json:"prunes"`
}

// Meta is what the inventory says beside the files. It holds no time and no
// host, so that the same input gives the same bytes everywhere.
type Meta struct {
	Cluster string
	// Version is gpugen's release version.
	Version string
	// Site is the hash of the site knowledge by which the tree was rendered, if any.
	Site string
	// Charts maps a vendored chart to its digest.
	Charts map[string]string
	// Guarded lists everything that must not leave the tree by accident, the
	// cluster's name included.
	Guarded []Guarded
	// Project is the AppProject, if the tree has one.
	Project *Project
}

// Inventory is what the last render wrote. It does not say of which spec: what
// counts is what that renders to, not how it is written.
type Inventory struct {
	Version string
	Cluster string
	// Site is the hash of the site knowledge by which the tree was rendered, if any.
	Site string
	// Charts maps a vendored chart to its digest.
	Charts  map[string]string
	Guarded []Guarded
	Project *Project
	// Files maps a path to "sha256:" and the hash in hexadecimal digits. After a merge
	// in git there are those of both branches, where both changed the file.
	Files map[string][]string
}

func newInventory(files []File, m Meta) Inventory {
	inv := Inventory{
		Version: m.Version,
		Cluster: m.Cluster,
		Site:    m.Site,
		Charts:  map[string]string{},
		Guarded: append([]Guarded{}, m.Guarded...),
		Project: m.Project,
		Files:   make(map[string][]string, len(files)),
	}
	maps.Copy(inv.Charts, m.Charts)
	inv.Guarded = sortedGuarded(inv.Guarded)
	for _, f := range files {
		inv.Files[f.Path] = []string{hashOf(f.Data)}
	}
	return inv
}

// encode gives the bytes of v as they lie on disk: maps sorted by key, indented,
// ending in a newline.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readInventory returns the inventory of the tree at root. A directory without one
// gives an error that is fs.ErrNotExist, one of a newer gpugen a *newerError; broken
// bytes and paths that leave the directory are errors too.
func readInventory(root *os.Root) (Inventory, error) {
	data, err := ReadRegular(root, inventoryPath)
	if err != nil {
		return Inventory{}, err
	}
	inv, err := parseInventory(data)
	if err != nil {
		return Inventory{}, err
	}
	for _, p := range slices.Sorted(maps.Keys(inv.Files)) {
		if err := checkPath(p); err != nil {
			return Inventory{}, fmt.Errorf("it lists path %q: %w", p, err)
		}
		for _, hash := range inv.Files[p] {
			if !hashForm.MatchString(hash) {
				return Inventory{}, fmt.Errorf("it lists %q as the hash of %s", hash, p)
			}
		}
	}
	return inv, nil
}

// ReadRegular reads a file of ours: it follows no link to it, and waits for no pipe.
//
// An error says that there is none, or something else.
func ReadRegular(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	return root.ReadFile(name)
}

// decode reads exactly one JSON value.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("it is not the JSON that gpugen writes: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("it is not the JSON that gpugen writes: more follows after the end")
	}
	return nil
}

var hashForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// pruned returns a finding for each guarded thing that the old inventory has and m
// lacks, or has in another component, unless its name is allowed.
func (p place) pruned(old Inventory, m Meta, allowed []string) diag.List {
	now := func(g Guarded) int {
		return slices.IndexFunc(m.Guarded, func(n Guarded) bool { return n.Kind == g.Kind && n.Name == g.Name })
	}
	left := map[string]bool{}
	for _, g := range old.Guarded {
		if (g.Kind == "Component" || g.Kind == "CRDOwner") && now(g) < 0 {
			left[g.Name] = true
		}
	}
	var found diag.List
	for _, g := range old.Guarded {
		what := "leaves the tree"
		if i := now(g); i >= 0 {
			if g.In == "" || g.In == m.Guarded[i].In {
				continue
			}
			what = fmt.Sprintf("goes from component %s to %s", g.In, m.Guarded[i].In)
		}
		if g.In != "" && left[g.In] || slices.Contains(allowed, g.Name) {
			continue
		}
		f := p.finding(kindPrune, inventoryPath, "%s %s %s: %s", guardedNoun(g.Kind), g.Name, what, g.Prunes)
		f.Fix = fmt.Sprintf("put it back into the spec, or permit it with --allow-prune %s", g.Name)
		found.Add(f)
	}
	return found
}

func guardedNoun(kind string) string {
	switch kind {
	case "Cluster":
		return "the cluster name"
	case "Layout":
		return "the layout"
	case "Namespace":
		return "namespace"
	case "CRDOwner":
		return "the owner of CRDs"
	case "Component":
		return "component"
	}
	return kind
}
