// Package remembered owns what is known of renders that were made: which tree, and
// which findings, followed from which input. It must not know what is in a tree, nor
// evaluate anything; who has no entry evaluates.
package remembered

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema/diag"
)

// Render is what followed from an input.
type Render struct {
	// Inventory is the tree.InventoryHash.
	Inventory string `json:"inventory"`
	// Findings are all warnings; there were no errors.
	Findings diag.List `json:"findings"`
	// GitOps is where the tree belongs, and At where the spec says the path.
	GitOps plan.GitOps   `json:"gitops"`
	At     diag.Position `json:"at"`
	// Name is the cluster's, and NameAt where the spec says it.
	Name   string        `json:"name"`
	NameAt diag.Position `json:"nameAt"`
	// ElsewhereWaived says that the spec accepts that the tree lies where Argo CD does not look.
	ElsewhereWaived bool `json:"elsewhereWaived,omitempty"`
}

// Store keeps renders in a directory, one for each directory that is rendered to, and one
// for each cluster of a fleet.
// Nothing is lost if any of it is.
type Store struct {
	// Dir is made when it is needed.
	Dir string
	// Build is the very program: another one may make another tree of the same input.
	Build string
}

// entry is a file of the store.
type entry struct {
	Build  string `json:"build"`
	Digest string `json:"digest"`
	Render
}

// Get returns what this program made of the input of a digest when it last rendered to
// out; false if it did not, or made something else.
func (s Store) Get(out, digest string) (Render, bool) {
	name := s.file(out)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return Render{}, false
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return Render{}, false
	}
	var e entry
	if json.Unmarshal(data, &e) != nil || e.Build != s.Build || e.Digest != digest || e.Inventory == "" {
		return Render{}, false
	}
	return e.Render, true
}

// Put keeps what followed from the input of a digest, instead of what followed from an
// earlier one. That it cannot is no error: the next run will evaluate.
func (s Store) Put(out, digest string, r Render) {
	data, err := json.Marshal(entry{Build: s.Build, Digest: digest, Render: r})
	if err != nil || os.MkdirAll(s.Dir, 0o700) != nil {
		return
	}
	// By a rename, since another run may be reading.
	f, err := os.CreateTemp(s.Dir, "new-*")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), s.file(out))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

func (s Store) file(out string) string {
	if abs, err := filepath.Abs(out); err == nil {
		out = abs
	}
	sum := sha256.Sum256([]byte(out))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:])+".json")
}
